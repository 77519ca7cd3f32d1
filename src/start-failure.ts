import { writeSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from './config.js'

const STDERR = 2

/** The configuration, or the process's end with a line that says what is wrong with it. */
export function readConfigOrExit(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return exitWith(error)
  }
}

/** Ends the process with 1, and one line for whoever started it. */
export function exitWith(error: Error): never {
  try {
    writeSync(STDERR, `inlet: ${error.message}\n`)
  } catch {
    // Nobody reads it: the exit code says enough.
  }
  return process.exit(1)
}
