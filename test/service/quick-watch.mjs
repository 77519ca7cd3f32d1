import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Imported before the modules of the service: it looks at its files often instead of every other second.

const { watchFile } = fs
fs.watchFile = (path, options, look) => watchFile(path, { ...options, interval: 20 }, look)
syncBuiltinESMExports()
