/** Imported first by the library, since an older Node fails later, in words that do not say why. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19))
  throw new Error(
    `Foldgate needs Node 20.19 or later, of which 24 is recommended; this is Node ${process.versions.node}.`,
  )
