import { parseArgs } from 'node:util'

/**
 * A script's flags, all of them numbers or text with a default: `flagsOf(HELP, { seconds: 120 })`. `--help` prints
 * the help and ends the process.
 */
export function flagsOf(help, defaults) {
  const options = { help: { type: 'boolean' } }
  for (const name of Object.keys(defaults)) options[name] = { type: 'string' }
  const { values } = parseArgs({ options })
  if (values.help) {
    const shown = Object.entries(defaults).map(([name, value]) => `  --${name.padEnd(12)} default ${value}`)
    console.log(`${help}\n\n${shown.join('\n')}`)
    process.exit(0)
  }
  const entries = Object.entries(defaults).map(([name, value]) => {
    const given = values[name]
    return [name, given === undefined ? value : typeof value === 'number' ? Number(given) : given]
  })
  return Object.fromEntries(entries)
}

/** Prints what did not hold and ends the process: 0 where all held. */
export function end(failures) {
  for (const failure of failures) console.log(`FAILED: ${failure}`)
  console.log(failures.length === 0 ? 'all held' : `${failures.length} did not hold`)
  process.exit(failures.length === 0 ? 0 : 1)
}
