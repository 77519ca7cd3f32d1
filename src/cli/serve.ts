import { ConfigError } from '../models/variables.js'
import type { Variable } from '../service/process/config.js'
import { type Call, type Command, type Flag, UsageError } from './program.js'

/** `inlet serve`: the service as `npm start` runs it. */
export const serve: Command = {
  name: 'serve',
  summary: 'Starts the service. Each flag is a variable of the environment too: --port is PORT.',
  examples: ['inlet serve --port 8001', 'ENCODING=o200k_base inlet serve --embedding-dim 768'],
  flags: {},
  laterFlags: async () => groupsOf((await import('../service/features.js')).VARIABLES),
  async run({ values }: Call) {
    const given = new Map(
      [...values].map(([flag, value]) => [flag.toUpperCase().replaceAll('-', '_'), value]),
    )
    await checkFlags(given)
    for (const [name, value] of given) process.env[name] = value
    // The service handles these signals itself.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
    await import('../server.js')
  },
}

function groupsOf(variables: readonly Variable[]): Record<string, Flag[]> {
  const groups: Record<string, Flag[]> = {}
  let title = 'Flags'
  for (const variable of variables) {
    title = variable.group ?? title
    groups[title] ??= []
    groups[title].push(flagOf(variable))
  }
  return groups
}

function flagOf({ name, rule, default: fallback, doc }: Variable): Flag {
  const value = rule.startsWith('an integer') ? 'N' : 'VALUE'
  const plain = doc.replaceAll('`', '')
  const text = fallback === '' ? plain : `${plain} Default: ${fallback}.`
  return { notation: `--${flagName(name)} <${value}>`, doc: text }
}

function flagName(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-')
}

/** @throws UsageError for a flag whose value is wrong; a wrong variable stops the start of the service itself */
async function checkFlags(given: ReadonlyMap<string, string>): Promise<void> {
  if (given.size === 0) return
  const { readConfig } = await import('../service/features.js')
  try {
    readConfig({ ...process.env, ...Object.fromEntries(given) })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [name = ''] = /^\w+/.exec(error.message) ?? []
    if (given.has(name)) throw new UsageError(`--${flagName(name)}${error.message.slice(name.length)}`)
  }
}
