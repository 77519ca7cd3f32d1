import { writeSync } from 'node:fs'
import { ConfigError } from '../answer/error-table.js'
import { type Config, readConfig } from './config.js'

const STDERR = 2

/** Reads the configuration; where it is wrong, prints one line with the reason and ends the process. */
export function readConfigOrExit(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return exitWith(error)
  }
}

/** Prints one line to standard error, and ends the process with exit code 1. */
export function exitWith(error: Error): never {
  try {
    writeSync(STDERR, `inlet: ${error.message}\n`)
  } catch {
    // standard error is closed: the exit code must do
  }
  return process.exit(1)
}
