import { writeSync } from 'node:fs'
import { type Config, readConfig } from './config.js'
import { ConfigError } from './errors.js'

const STDERR = 2

/** Reads the configuration; where it is wrong, prints one line that says why and ends the process. */
export function readConfigOrExit(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return exitWith(error)
  }
}

/** Prints one line for whoever started the process, and ends it with exit code 1. */
export function exitWith(error: Error): never {
  try {
    writeSync(STDERR, `inlet: ${error.message}\n`)
  } catch {
    // Nobody reads the output any more: the exit code must do.
  }
  return process.exit(1)
}
