#!/usr/bin/env node
// Runs the Dockerfile where there is no Docker engine: `npm run check:container`.
//
// Each stage gets an empty folder for its root; COPY and RUN work there, on npm's Node of the base image's version.
// Then the last stage's CMD is started as a user without rights, its HEALTHCHECK has to pass, it answers a
// request, and SIGTERM has to end it with 0. Steps that would change this machine are named and skipped.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import dockerfileUtils from 'dockerfile-utils'
import { readStages } from './dockerfile.mjs'

const CONTEXT = fileURLToPath(new URL('..', import.meta.url))
const DOCKERFILE = join(CONTEXT, 'Dockerfile')
const STOP_MS = 15_000
const NOBODY = 65_534

const ERROR = 1 // the language server protocol's severity
const findings = dockerfileUtils
  .validate(readFileSync(DOCKERFILE, 'utf8'))
  .filter((each) => each.severity === ERROR)
for (const { message, range } of findings) console.error(`Dockerfile:${range.start.line + 1}: ${message}`)
if (findings.length > 0) process.exit(1)
console.log('syntax: no error')

const top = mkdtempSync(join(tmpdir(), 'inlet-container-'))
chmodSync(top, 0o755)
process.on('exit', () => rmSync(top, { recursive: true, force: true }))

const stages = readStages(DOCKERFILE)
const roots = new Map()
let last
for (const stage of stages) last = build(stage)
await run(last)

/** Executes a stage's steps; returns what it takes to start its CMD. */
function build(stage) {
  const root = join(top, stage.name)
  mkdirSync(root)
  roots.set(stage.name, root)
  const node = nodeOf(stage.base)
  const image = { root, node, workdir: '/', env: {}, user: 'root', health: undefined, cmd: undefined }
  console.log(
    `\nstage ${stage.name} (${stage.base}, ${execFileSync(join(node, 'node'), ['--version'])})`.trimEnd(),
  )
  for (const { keyword, text, flags, line } of stage.instructions) {
    const told = `  ${line} ${keyword} ${text.length > 96 ? `${text.slice(0, 96)}…` : text}`
    if (keyword === 'RUN' && /^(apt-get|useradd|adduser|groupadd|chown)\b/.test(text)) {
      console.log(`${told}\n      skipped: it would change this machine`)
      continue
    }
    const started = performance.now()
    step(image, keyword, text, flags)
    console.log(`${told}${keyword === 'RUN' ? `  (${seconds(started)} s)` : ''}`)
  }
  return image
}

function step(image, keyword, text, flags) {
  const here = () => join(image.root, image.workdir)
  if (keyword === 'WORKDIR') {
    image.workdir = resolve(image.workdir, text)
    mkdirSync(here(), { recursive: true })
  } else if (keyword === 'ARG' || keyword === 'ENV') {
    for (const [, name, value] of text.matchAll(/(\w+)=(\S*)/g)) image.env[name] = value
  } else if (keyword === 'COPY') {
    copy(image, text.split(/\s+/), flags.from)
  } else if (keyword === 'RUN') {
    const { status } = spawnSync('/bin/sh', ['-c', text], {
      cwd: here(),
      env: environment(image),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (status !== 0) fail(`RUN ${text} ended with ${status}`)
  } else if (keyword === 'HEALTHCHECK') {
    image.health = { command: JSON.parse(text.replace(/^CMD\s+/, '')), flags }
  } else if (keyword === 'CMD') {
    image.cmd = JSON.parse(text) // the exec form, or it is no JSON
  } else if (keyword === 'USER') {
    image.user = text
  }
}

function copy(image, paths, from) {
  const target = paths.pop()
  const source = from === undefined ? CONTEXT : roots.get(from)
  for (const path of paths) {
    const given = join(source, path)
    if (!existsSync(given)) fail(`COPY ${path}: there is no such file`)
    const into = isAbsolute(target) ? join(image.root, target) : join(image.root, image.workdir, target)
    const intoFolder = target.endsWith('/') || paths.length > 1
    cpSync(given, intoFolder ? join(into, basename(path)) : into, { recursive: true, verbatimSymlinks: true })
  }
}

async function run(image) {
  if (['root', '0'].includes(image.user)) fail('the last stage runs as root')
  const port = await freePort()
  const env = { ...environment(image), PORT: String(port), HOST: '127.0.0.1' }
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const cwd = join(image.root, image.workdir)
  console.log(
    `\nimage: ${megabytes(image.root)} MB beside Node, of which node_modules ${megabytes(join(cwd, 'node_modules'))} MB`,
  )

  const started = performance.now()
  const [command, ...args] = image.cmd
  const service = spawn(join(image.node, command), args, {
    cwd,
    env,
    ...asNobody,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((done) => service.once('exit', (code, signal) => done(code ?? signal)))
  process.on('exit', () => service.kill('SIGKILL'))

  const { command: check, flags } = image.health
  const until = started + 1000 * Number.parseFloat(flags['start-period'])
  const healthy = () =>
    spawnSync(join(image.node, check[0]), check.slice(1), { env, ...asNobody }).status === 0
  while (!healthy()) {
    if (performance.now() > until) fail('HEALTHCHECK did not pass within its start period')
    await sleep(100)
  }
  console.log(`healthy after ${seconds(started)} s, as user ${asNobody.uid ?? process.getuid?.()}`)

  const answer = await fetch(`http://127.0.0.1:${port}/v1/input-embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/octet-stream' },
    body: JSON.stringify({ text: 'Hello, world! This is the first layer.', context_length: 4 }),
  })
  const bytes = (await answer.arrayBuffer()).byteLength
  if (answer.status !== 200 || bytes !== 2 * 4 * 256 * 4)
    fail(`a request was answered ${answer.status}, ${bytes} bytes`)
  console.log(`a request was answered: ${answer.headers.get('x-tensor-shape')}, ${bytes} bytes`)

  const stopped = performance.now()
  service.kill('SIGTERM')
  const code = await Promise.race([ended, sleep(STOP_MS, 'no end', { ref: false })])
  if (code !== 0) fail(`SIGTERM ended it with ${code}`)
  console.log(`SIGTERM ended it with 0 after ${seconds(stopped)} s`)
}

/** Folder of a Node of the base image's major version, from npm. */
function nodeOf(base) {
  const major = /^node:(\d+)/.exec(base)?.[1]
  if (major === undefined) fail(`FROM ${base}: only node images are known here`)
  const folder = join(top, `node-${major}`)
  if (!existsSync(folder)) {
    mkdirSync(folder)
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `node@${major}`], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
  }
  return join(folder, 'node_modules', 'node', 'bin')
}

function environment({ env, node }) {
  const { HOME = '/', NPM_CONFIG_USERCONFIG } = process.env
  return {
    HOME,
    ...(NPM_CONFIG_USERCONFIG && { NPM_CONFIG_USERCONFIG }),
    ...env,
    PATH: `${node}:${process.env.PATH}`,
  }
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}

function megabytes(folder) {
  const bytes = (path) =>
    readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) return sum + bytes(inside)
      return entry.isFile() ? sum + statSync(inside).size : sum
    }, 0)
  return Math.round(bytes(folder) / 1e6)
}

function seconds(since) {
  return ((performance.now() - since) / 1000).toFixed(1)
}

function fail(message) {
  console.error(`check failed: ${message}`)
  process.exit(1)
}
