#!/usr/bin/env node
// npm run sbom [-- IMAGE]
//
// Writes the software bills of materials of the image, as CycloneDX, into build/sbom:
//   packages.cdx.json   npm's packages that are bundled into dist or stand in node_modules, by `npm sbom`
//   debian.cdx.json     with IMAGE: Debian's packages, by debsbom (PyPI, `pip install 'debsbom[cdx]'`)
// Node, which the base image brings outside of both, is in packages.cdx.json with IMAGE. Needs dist: `npm run build`.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = `${ROOT}build/sbom`
/** Development dependencies whose files are served: the page at /docs. Their own dependencies stay behind. */
const SERVED = ['@fastify/swagger-ui']
/** Only in images that are built with TFJS_NODE=1. */
const LEFT_OUT = '@tensorflow/tfjs-node'

const [image] = process.argv.slice(2)
mkdirSync(OUT, { recursive: true })
const bill = shipped(
  JSON.parse(
    run('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']),
  ),
)
if (image !== undefined) {
  bill.components.push(nodeOf(image))
  await writeDebian(image, `${OUT}/debian.cdx.json`)
}
writeFileSync(`${OUT}/packages.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`)
console.log(`${OUT}: ${bill.components.length} packages${image === undefined ? '' : ', and those of Debian'}`)

/** Of npm's bill for everything that is developed with, what an image has. */
function shipped(all) {
  const { name } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  const references = needed(all)
  const isShipped = (component) => references.has(component['bom-ref']) || SERVED.includes(component.name)
  const components = all.components
    .filter(isShipped)
    .map((component) => ({ ...component, scope: 'required' }))
  const kept = new Set([
    all.metadata.component['bom-ref'],
    ...components.map((component) => component['bom-ref']),
  ])
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }))
  // npm names the root by its folder.
  const metadata = { ...all.metadata, component: { ...all.metadata.component, name } }
  return { ...all, metadata, components, dependencies }
}

/** References of the packages that dist has bundled, and of those that stay in node_modules. */
function needed({ metadata, components, dependencies }) {
  const bundled = bundledPackages()
  const found = new Set(
    components
      .filter(({ name, version }) => bundled.has(`${name} ${version}`))
      .map((each) => each['bom-ref']),
  )
  // A workspace is private, and a part of the root.
  const isSkipped = ({ name, properties }) =>
    name === LEFT_OUT || properties.some((each) => /^cdx:npm:package:(development|private)$/.test(each.name))
  const skipped = new Set(components.filter(isSkipped).map((component) => component['bom-ref']))
  const edges = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const open = [metadata.component['bom-ref']]
  for (const ref of open) {
    const next = (edges.get(ref) ?? []).filter((each) => !skipped.has(each) && !open.includes(each))
    for (const each of next) found.add(each)
    open.push(...next)
  }
  return found
}

/** `fastify 5.12.8` for each licence that the bundles bring along. */
function bundledPackages() {
  const files = ['dist/LICENSES.txt', 'dist/explorer/LICENSES.txt'].map((file) =>
    readFileSync(ROOT + file, 'utf8'),
  )
  return new Set(
    files.flatMap((text) => Array.from(text.matchAll(/^== (\S+ \S+): /gm), ([, named]) => named)),
  )
}

function nodeOf(image) {
  const version = run('docker', ['run', '--rm', '--entrypoint', 'node', image, '--version']).trim().slice(1)
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`
  const purl = `pkg:generic/node@${version}`
  return { 'bom-ref': purl, type: 'platform', name: 'node', version, scope: 'required', cpe, purl }
}

/** Reads the image's own list of packages out of its files; nothing of it is started. */
async function writeDebian(image, path) {
  const container = run('docker', ['create', image]).trim()
  try {
    const files = spawn('docker', ['export', container], { stdio: ['ignore', 'pipe', 'inherit'] })
    const options = ['generate', '--sbom-type', 'cdx', '--distro-name', image, '--root', '-', '--out', path]
    const debsbom = spawn('debsbom', options, { stdio: [files.stdout, 'inherit', 'inherit'] })
    const [[code]] = await Promise.all([once(debsbom, 'exit'), once(files, 'exit')])
    if (code !== 0) throw new Error(`debsbom ended with ${code}.`)
  } finally {
    run('docker', ['rm', container])
  }
}

function run(command, options) {
  return execFileSync(command, options, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
}
