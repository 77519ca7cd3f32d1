#!/usr/bin/env node
// npm run release -- --dry-run | --publish --registry HOST/PATH  [--out FOLDER]
//
// Makes the files of a release from the commit that is checked out (docs/releasing.md). --dry-run prints the commands
// that would publish them; --publish runs them. Refuses a checkout that differs from its commit, and unequal versions.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { publishing } from './commands.mjs'
import { makeRelease } from './make.mjs'
import { changedFiles, namesOfOthers, notesOf, versionsOf } from './rules.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const options = {
  'dry-run': { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  registry: { type: 'string' },
  out: { type: 'string' },
}

const { values } = parseArgs({ options })
const isPublished = values.publish
if (isPublished === values['dry-run']) stop(2, ['give one of --dry-run and --publish'])
if (isPublished && values.registry === undefined)
  stop(2, ['--publish needs --registry HOST/PATH, for the image and the chart'])

const { version, problems } = versionsOf(ROOT)
const { notes, problems: ofChangelog } = notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version)
const npm = (...args) => execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const names = isPublished ? attempt(() => namesOfOthers(['inlet-lm', 'inlet-client'], npm)) : []
const inTheWay = [...changedFiles(ROOT), ...problems, ...names, ...(isPublished ? ofChangelog : [])]
if (inTheWay.length > 0) stop(1, inTheWay)

const out = resolve(values.out ?? join(ROOT, 'build/release', version))
const missing = attempt(() => makeRelease(ROOT, out, { version, notes }))
if (isPublished && missing.length > 0) stop(1, missing)
process.stdout.write(`\n${readFileSync(join(out, 'SHA256SUMS'), 'utf8')}\n`)
for (const problem of [...missing, ...ofChangelog]) console.log(`before it is published: ${problem}`)

const given = { version, out: relative(ROOT, out), registry: values.registry ?? 'REGISTRY' }
for (const command of publishing(given)) {
  console.log(command.join(' '))
  if (isPublished) attempt(() => execFileSync(command[0], command.slice(1), { cwd: ROOT, stdio: 'inherit' }))
}

function attempt(work) {
  try {
    return work()
  } catch (error) {
    return stop(1, [error.message])
  }
}

function stop(code, reasons) {
  for (const reason of reasons) console.error(`release: ${reason}`)
  process.exit(code)
}
