#!/usr/bin/env node
// Takes a feature away and looks whether the rest still stands:
//   node test/house/without.mjs NAME… | --all | --turn N [--count 3]
// In a copy of the tree without its folder, its lines in features.ts and build.mjs and its tests, the types of src must
// be right, and some tests of what is left must pass. Its tests are test/features/NAME and all that name one of its routes.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = new URL('../../', import.meta.url).pathname
const LIST = 'src/service/features.ts'
/** A route, or its beginning, in a feature's source. */
const ROUTE = /['"`](\/(?:v1|v2|health|metrics|docs|openapi)[\w/:.-]*)(['"`]|\$\{)/g
/** Tests of few seconds, of no list of all features: some of the service, and some of each feature. */
const TESTS = [
  ...['service/answer/base64', 'service/answer/every-answer', 'service/models', 'service/request/fields'],
  ...['service/request/load', 'features/chat/render.test', 'features/neighbors', 'features/datasets/keeper'],
  ...[
    'features/embeddings/embeddings.test',
    'features/positions/position-embeddings',
    'features/prompt-embeds',
  ],
  ...['features/learning/learn.test', 'features/models/admin-key', 'features/models/table-metadata'],
  ...[
    'features/open-inference/infer',
    'features/tokenize/ids-dtype',
    'features/input-embeddings/course-example',
  ],
]

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    turn: { type: 'string' },
    count: { type: 'string', default: '3' },
    help: { type: 'boolean' },
  },
})
if (flags.help) {
  console.log('node test/house/without.mjs NAME… | --all | --turn N [--count 3]')
  process.exit(0)
}
const features = readdirSync(join(ROOT, 'src/features')).sort()
const named = flags.all ? features : flags.turn === undefined ? positionals : byTurns(Number(flags.turn))
const unknown = named.filter((name) => !features.includes(name))
if (named.length === 0 || unknown.length > 0) {
  console.error(
    `Name features, or --all, or --turn N: ${features.join(', ')}. Given: ${unknown.join(', ') || 'none'}`,
  )
  process.exit(1)
}
let failed = 0
for (const name of named) if (!standsWithout(name)) failed++
process.exit(failed > 0 ? 1 : 0)

/** Some features for turn N, so that all have had theirs after a few turns. */
function byTurns(turn) {
  const count = Number(flags.count)
  return Array.from({ length: count }, (_, i) => features[(turn * count + i) % features.length])
}

function standsWithout(name) {
  const began = performance.now()
  const tree = mkdtempSync(join(tmpdir(), `without-${name}-`))
  try {
    copyTree(tree)
    const its = testsOf(name, tree)
    for (const path of [`src/features/${name}`, `test/features/${name}`, ...its])
      rmSync(join(tree, path), { recursive: true, force: true })
    removeLine(name, tree)
    const { files } = JSON.parse(readFileSync(join(tree, 'tsconfig.json'), 'utf8'))
    const there = files.filter((file) => existsSync(join(tree, file)))
    const config = { extends: './tsconfig.json', files: there, include: ['src', 'packages'] }
    writeFileSync(join(tree, 'tsconfig.without.json'), JSON.stringify(config))
    for (const built of ['dist', 'packages/chat-template/dist'])
      cpSync(join(ROOT, built), join(tree, built), { recursive: true }) // last, so that it is no older than the tree
    const types = run(tree, ['node_modules/.bin/tsc', '--noEmit', '-p', 'tsconfig.without.json'])
    const tests =
      types &&
      run(tree, [
        'node_modules/.bin/vitest',
        'run',
        '--project',
        'together',
        ...TESTS.map((each) => `test/${each}`),
      ])
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(
      `${types && tests ? 'stands' : 'FALLS'} without ${name}: ${types ? 'types' : 'NO TYPES'}, ${tests ? 'tests' : 'NO TESTS'}; ${its.length} files of tests name its routes (${seconds} s)`,
    )
    return types && tests
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

/** The files that git knows, as they are now, and the packages. */
function copyTree(tree) {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
    .trim()
    .split('\n')
  for (const file of files) if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(tree, file))
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
}

/** Takes the import of the feature and its place in the list out of features.ts, and its part, if it has one, out of build.mjs. */
function removeLine(name, tree) {
  const text = readFileSync(join(tree, LIST), 'utf8')
  const line = new RegExp(`^import \\{ (\\w+) \\} from '../features/${name}/[^']+'\\n`, 'm').exec(text)
  if (line === null) throw new Error(`${LIST} has no line for ${name}.`)
  const rest = text.replace(line[0], '').replace(new RegExp(`^ +${line[1]},\\n`, 'm'), '')
  writeFileSync(join(tree, LIST), rest)
  const build = readFileSync(join(tree, 'build.mjs'), 'utf8')
  const kept = build.split('\n').filter((line) => !line.includes(`features/${name}/`))
  writeFileSync(join(tree, 'build.mjs'), kept.join('\n'))
}

/**
 * Files of tests, outside its own folder, that name one of the feature's routes, call a helper that does, or import from the feature
 * or from its tests.
 */
function testsOf(name, tree) {
  const routes = filesBelow(join(tree, 'src/features', name))
    .filter((file) => file.endsWith('.ts') && !file.includes('/page/')) // the explorer's page calls other features
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(ROUTE)])
    .map(([, path, end]) => {
      const pattern = path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/\'"`?\\s]+')
      return end === '${' ? pattern : `${pattern}(?![\\w/-])`
    })
  const paths = [...new Set(routes), `features/${name}/`].join('|')
  const calls = ['test/helper.ts', 'test/service/http/counted-tokens.ts']
    .flatMap((file) => readFileSync(join(tree, file), 'utf8').split(/^(?=export )/m))
    .filter((helper) => new RegExp(paths).test(helper))
    .map((helper) => `\\b${/^export (?:async )?function (\w+)/.exec(helper)[1]}\\(service`)
  const names = new RegExp([paths, ...calls].join('|'))
  const imports = new RegExp(` from '(\\.\\./)+${name}/`)
  return filesBelow(join(tree, 'test'))
    .map((file) => file.slice(tree.length + 1))
    .filter((file) => /\.test\.ts$/.test(file) && !file.startsWith(`test/features/${name}/`))
    .filter((file) => {
      const text = readFileSync(join(tree, file), 'utf8')
      return names.test(text) || (file.startsWith('test/features/') && imports.test(text))
    })
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

function run(tree, [command, ...args]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 900_000,
  })
  if (status !== 0)
    console.error(
      `${stdout}${stderr}`
        .split('\n')
        .filter((line) => /error TS|FAIL|Error/.test(line))
        .slice(0, 20)
        .join('\n'),
    )
  return status === 0
}
