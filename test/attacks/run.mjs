// npm run attacks -- [NAME …] [--threads N] [--json FILE] [--list] [--help]
import { readdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load, machine } from '../bench/harness/machine.mjs'
import { table } from '../bench/harness/text.mjs'
import { runAttack } from './harness/attack.mjs'
import { HEAD, rowOf } from './harness/rows.mjs'
import { SERVER } from './harness/service.mjs'

const HELP = `Attacks the built service on loopback, each attack a service of its own, and prints one table.

  npm run build && node test/attacks/run.mjs [NAME …]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/run.mjs [NAME …]

NAME is an attack (documents) or a variant of it (documents/br); without one, all run (about 15 minutes).

  --list          what there is
  --threads N     event loops of the service (default 1: no other thread hides a frozen one)
  --turn-ms N     longest turn that is allowed, of processor time (default 100)
  --live-ms N     p99 of /health/live that is allowed, with cores of its own (default 250)
  --tries N       how often a variant is tried whose times alone were wrong, by little (default 3)
  --cap-mb N      resident memory at which a service is ended (default 6000)
  --json FILE     what was measured, one object a row

Beside them, each with --help: crowd.mjs, saturation.mjs, mutated-requests.mjs, tls-sessions.mjs.
Exit code 1 where an expectation failed: the lines under its row say which.`

const { values: flags, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    list: { type: 'boolean' },
    threads: { type: 'string' },
    'turn-ms': { type: 'string' },
    'live-ms': { type: 'string' },
    'cap-mb': { type: 'string' },
    tries: { type: 'string' },
    json: { type: 'string' },
  },
})
if (flags.help) {
  console.log(HELP)
  process.exit(0)
}

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.attack.mjs'))
const attacks = await Promise.all(files.map((file) => import(new URL(file, folder))))
const all = attacks.flatMap((attack) =>
  Object.keys(attack.variants).map((label) => ({ attack, label, name: `${attack.name}/${label}` })),
)
if (flags.list) {
  for (const { name, about, variants } of attacks) {
    console.log(`${name}: ${about}`)
    for (const label of Object.keys(variants)) console.log(`  ${name}/${label}`)
  }
  process.exit(0)
}

const isAsked = ({ attack, name }) =>
  asked.length === 0 || asked.includes(attack.name) || asked.includes(name)
const chosen = all.filter(isAsked)
if (chosen.length === 0) {
  console.error(`No attack is named ${asked.join(', ')}. See --list.`)
  process.exit(1)
}

const options = { bounds: {}, env: {}, tries: Number(flags.tries ?? 3) }
if (flags.threads) options.env.THREADS = flags.threads
if (flags['turn-ms']) options.bounds.turnMs = Number(flags['turn-ms'])
if (flags['live-ms']) options.bounds.liveMs = Number(flags['live-ms'])
if (flags['cap-mb']) options.capBytes = Number(flags['cap-mb']) * 1e6

console.log(`${SERVER}, ${machine()}, ${load()}\n`)
const reports = []
for (const { attack, label, name } of chosen) {
  try {
    reports.push(await runAttack(attack, label, options))
  } catch (error) {
    reports.push({ name, seen: { said: `not measured: ${error.message}` }, failures: [error.message] })
  }
  const { failures } = reports.at(-1)
  console.log(rowOf(reports.at(-1)).join(' | '))
  for (const failure of failures) console.log(`    ${failure}`)
}
console.log(`\n${table(HEAD, reports.map(rowOf))}\n`)
const failed = reports.filter(({ failures }) => failures.length > 0)
console.log(
  `${failed.length} of ${reports.length} failed${failed.length > 0 ? ': see the lines above the table' : ''}`,
)
if (flags.json) writeFileSync(flags.json, JSON.stringify(reports.map(plain), null, 1))
process.exit(failed.length > 0 ? 1 : 0)

/** Without what is not data. */
function plain({ name, seen, failures }) {
  const { service, answers, small, ...figures } = seen
  return { name, failures, ...figures }
}
