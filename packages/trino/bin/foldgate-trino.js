#!/usr/bin/env node
// Before anything is loaded that an older Node cannot run.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) await import('../dist/main.js')
else {
  process.stderr.write(
    `error: foldgate-trino needs Node 20.19 or later, of which 24 is recommended; this is Node ${process.versions.node}\n`,
  )
  process.exitCode = 1
}
