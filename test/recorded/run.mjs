// npm run compare -- --before FOLDER [--after FOLDER] [--seed N] [--only NAME,…] [--show N] [--list]
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuild } from './build.mjs'
import { commandDifferences } from './commands.mjs'
import { differences } from './compare.mjs'
import { configurations } from './configurations.mjs'
import { reasonFor } from './exceptions.mjs'

const HELP = `Sends the same requests to two builds on loopback and compares their answers: status, headers, bytes.

  npm run compare -- --before FOLDER     FOLDER is another checkout with dist/; beside it this one's

  --after FOLDER   another checkout in place of this one
  --seed N         which requests are drawn (1)
  --only A,B       these configurations alone; commands is the command line
  --show N         differences of a kind that are printed (3)
  --json FILE      all differences, for programs
  --list           the configurations and how many requests each has

Exit code 1 where a difference is not among those of exceptions.mjs.`

const { values: flags } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    show: { type: 'string', default: '3' },
    json: { type: 'string' },
    list: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const all = configurations(Number(flags.seed))
if (flags.help || (flags.before === undefined && !flags.list)) {
  console.log(HELP)
  process.exit(flags.help ? 0 : 2)
}
if (flags.list) {
  for (const each of all) console.log(`${each.name}: ${[...each.requests()].length} requests`)
  process.exit(0)
}

/** Ends the comparison, whatever a build does. */
const END_MS = 20 * 60_000
setTimeout(() => {
  console.error('The comparison took 20 minutes: ended.')
  process.exit(1)
}, END_MS).unref()

const folders = [resolve(flags.before), resolve(flags.after)]
const names = flags.only?.split(',')
const found = []
const statuses = new Map()
const codes = new Set()
let count = 0
for (const each of all) {
  // The requests are drawn even where they are not sent, so that the next configuration's are the same.
  const requests = [...each.requests()]
  if (names !== undefined && !names.includes(each.name)) continue
  const started = performance.now()
  const before = found.length
  await compare(each, requests)
  count += requests.length
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${each.name}: ${requests.length} requests, ${found.length - before} differences, ${seconds} s`)
}
if (names === undefined || names.includes('commands')) {
  const commands = await commandDifferences(folders)
  found.push(...commands.found)
  console.log(`commands: ${commands.count} runs, ${commands.found.length} differences`)
  count += commands.count
}
report()

async function compare({ name, env, ready }, requests) {
  const variables = await Promise.all(folders.map(() => (typeof env === 'function' ? env() : env)))
  const builds = await Promise.allSettled(
    folders.map((folder, i) => startBuild(folder, variables[i], { ready })),
  )
  const failed = builds.findIndex(({ status }) => status === 'rejected')
  if (failed >= 0) {
    for (const { value } of builds) await value?.stop()
    const { message } = builds[failed].reason
    found.push({
      place: `${name} start`,
      kind: `no start of ${failed === 0 ? 'before' : 'after'}`,
      before: '',
      after: message,
    })
    return
  }
  const services = builds.map(({ value }) => value)
  try {
    for (const request of requests) await exchange(name, services, request)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function exchange(name, services, request) {
  const [before, after] = await Promise.all(
    services.map(async (service) => {
      if (request.signal !== undefined) {
        service.signal(request.signal)
        await delay(200)
      }
      const path = request.file === undefined ? request.path : (service.files[request.file] ?? request.path)
      return service.send({ ...request, path })
    }),
  )
  for (const answer of before) {
    const status = answer.end ?? answer.status
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const code = /"code":"(\w+)"/.exec(answer.body?.toString('latin1', 0, 200) ?? '')?.[1]
    if (code !== undefined) codes.add(code)
  }
  const place = `${name} ${request.method ?? 'GET'} ${request.path}`
  for (const each of differences(request, before, after))
    found.push({ place, request: requestOf(request), ...each })
}

function requestOf({ body, headers, chunks }) {
  const sent =
    body === undefined
      ? ''
      : Buffer.from(body)
          .toString('latin1', 0, 300)
          .replaceAll(/[^\x20-\x7e]/g, '·')
  return `${JSON.stringify(headers ?? {})} ${chunks === undefined ? '' : 'in chunks '}${sent}`
}

function report() {
  const open = new Map()
  const meant = new Map()
  for (const each of found) {
    const reason = reasonFor(each)
    const groups = reason === undefined ? open : meant
    const key = reason ?? `${each.place.split('?')[0].split(' ').slice(0, 3).join(' ')}: ${each.kind}`
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(each)
  }
  for (const [key, all] of open) {
    console.log(`\n${key} (${all.length})`)
    for (const { place, request, before, after } of all.slice(0, Number(flags.show))) {
      console.log(
        `    ${place.slice(0, 200)} ${request ?? ''}\n      before: ${before}\n      after:  ${after}`,
      )
    }
  }
  console.log('')
  for (const [reason, all] of meant) console.log(`meant (${all.length}): ${reason}`)
  if (flags.json) writeFileSync(flags.json, JSON.stringify(found, null, 1))
  const spread = [...statuses].toSorted().map(([status, times]) => `${status}: ${times}`)
  console.log(`\nanswers by status: ${spread.join(', ')}`)
  console.log(`error codes seen: ${[...codes].toSorted().join(', ')}`)
  const sum = [...open.values()].flat().length
  console.log(
    `${count} requests, ${found.length} differences, ${sum} of them not meant, of ${open.size} kinds`,
  )
  process.exit(sum > 0 ? 1 : 0)
}
