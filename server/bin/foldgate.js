#!/usr/bin/env node
// Before anything is loaded that an older Node cannot run.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19))
  await import('../dist/cli/main.js').catch(cause => {
    // Node reads many files at once to load the program.
    if (cause.code !== 'EMFILE' && cause.code !== 'ENFILE') throw cause
    process.stderr.write(
      `error: foldgate cannot open enough files to start (${cause.code}): raise the limit on open files to 1024 or more ` +
        '(ulimit -n, LimitNOFILE of systemd, nofile of a container)\n',
    )
    process.exitCode = 1
  })
else {
  process.stderr.write(
    `error: foldgate needs Node 20.19 or later, of which 24 is recommended; this is Node ${process.versions.node}\n`,
  )
  process.exitCode = 1
}
