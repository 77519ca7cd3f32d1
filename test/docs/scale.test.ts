import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { shareOf } from '../../src/run/shard.js'
import '../built.js'
import { inFolder } from '../cli/run-command.js'
import { blocksOf } from './python-page.js'

const PAGE = 'docs/scale.md'
const page = readFileSync(PAGE, 'utf8')
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const SHOWN = /(<!-- first-call -->\n```text\n)([\s\S]*?)(```\n<!-- \/first-call -->)/

/** Runs a script with `npx inlet` among its commands. */
function shell(code: string, cwd: string): string {
  const command = join(cwd, 'npx')
  writeFileSync(command, `#!/bin/sh\nshift\nexec ${process.execPath} ${MAIN} "$@"\n`)
  chmodSync(command, 0o755)
  const env = { ...process.env, PATH: `${cwd}:${process.env.PATH}` }
  return execFileSync('sh', ['-ec', code], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

test('the first call of docs/scale.md prints what it shows', async (context) => {
  if (spawnSync('gzip', ['--version']).status !== 0) context.skip('there is no gzip')
  const { code } = blocksOf(PAGE)[0]!
  const said = await inFolder(async (folder) => shell(code, folder))
  const timeless = said.replaceAll(/,"seconds":[\d.]+/g, '')
  // UPDATE_DOCS=1 writes it instead of comparing it.
  if (process.env.UPDATE_DOCS)
    writeFileSync(
      PAGE,
      page.replace(SHOWN, (_, a, __, b) => a + timeless + b),
    )
  else expect(timeless).toBe(SHOWN.exec(page)![2])
})

test('the call of docs/chats.md for many files prints what it shows', async () => {
  const { code, shown } = blocksOf('docs/chats.md').find((block) => block.code.includes('inlet run'))!
  const said = await inFolder(async (folder) => shell(code, folder))
  expect(said.replaceAll(/,"seconds":[\d.]+/g, '')).toBe(shown)
})

test('docs/scale.md links to files that exist', () => {
  const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(5)
  for (const path of links) expect(existsSync(join(dirname(PAGE), path)), path).toBe(true)
})

test('the example of a Slurm array gives each task its share', () => {
  const script = readFileSync('examples/slurm.sbatch', 'utf8')
  const [, first, last] = /--array=(\d+)-(\d+)/.exec(script)!
  const [, count] = /INLET_SHARDS=(\d+)/.exec(script)!
  expect([first, Number(last) + 1]).toEqual(['0', Number(count)])
  expect(spawnSync('bash', ['-n', 'examples/slurm.sbatch']).status).toBe(0)
})

test('the example of a Job gives each pod its share, and no more rights than it needs', () => {
  const { spec } = parse(readFileSync('examples/kubernetes/job.yaml', 'utf8'))
  const [container] = spec.template.spec.containers
  const env = Object.fromEntries(
    container.env.map((each: { name: string; value: string }) => [each.name, each.value]),
  )
  const shares = Array.from({ length: spec.completions }, (_, index) =>
    shareOf(undefined, { ...env, JOB_COMPLETION_INDEX: String(index) }),
  )
  expect(shares.map(({ index }) => index)).toEqual(shares.map((_, index) => index))
  expect(new Set(shares.map(({ count }) => count))).toEqual(new Set([spec.completions]))
  expect(spec.completionMode).toBe('Indexed')
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { images } = parse(readFileSync('examples/kubernetes/kustomization.yaml', 'utf8'))
  expect(images).toEqual([{ name: 'inlet', newTag: version }])
})
