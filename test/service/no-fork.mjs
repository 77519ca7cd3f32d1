import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

// Imported by the service before its own modules: a machine where no process may be started.

childProcess.fork = () => {
  throw new Error('spawn EPERM')
}
syncBuiltinESMExports()
