// The files of a release, made from a commit in a folder of its own: what lies in the checkout besides is not in them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PARTS = [
  { needs: 'npm', make: packages },
  { needs: 'python3', make: pythonPackages },
  { needs: 'helm', make: chart },
  { needs: 'npm', make: papers },
]

/**
 * Makes everything that a release has, below `out`.
 * @param parts what to make, each with the command that it needs
 * @returns the sentences about what was left out, since a command is not here
 */
export function makeRelease(root, out, { version, notes }, parts = PARTS) {
  const work = mkdtempSync(join(tmpdir(), 'release-'))
  const source = join(work, 'source')
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  run(root, 'git', 'worktree', 'add', '--quiet', '--detach', source, 'HEAD')
  try {
    run(source, 'npm', 'ci', '--silent')
    run(source, 'npm', 'run', '--silent', 'build')
    const missing = parts.filter(({ needs }) => !isHere(needs))
    for (const part of parts) if (!missing.includes(part)) part.make({ source, out, work, version, notes })
    writeSums(out)
    return missing.map(({ needs, make }) => `left out: ${make.name}, for which ${needs} is not here`)
  } finally {
    run(root, 'git', 'worktree', 'remove', '--force', source)
    rmSync(work, { recursive: true, force: true })
  }
}

/** npm's: the service, which is built already, and the client, which builds itself. */
function packages({ source, out }) {
  mkdirSync(join(out, 'npm'))
  const options = ['--silent', '--pack-destination', join(out, 'npm')]
  run(source, 'npm', 'pack', '--ignore-scripts', ...options)
  run(source, 'npm', 'pack', './clients/typescript', ...options)
}

/** The Python client as sdist, and as the wheel that this sdist makes. Times in them are the commit's. */
function pythonPackages({ source, out, work }) {
  run(work, 'python3', '-m', 'venv', 'venv')
  const python = join(work, 'venv/bin/python')
  run(
    work,
    python,
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    'build==1.3.0',
    'twine==7.0.0',
  )
  process.env.SOURCE_DATE_EPOCH = read(source, 'git', 'log', '-1', '--format=%ct')
  run(source, python, '-m', 'build', '--outdir', join(out, 'python'), 'clients/python')
  const files = readdirSync(join(out, 'python')).map((name) => join(out, 'python', name))
  run(work, python, '-m', 'twine', 'check', '--strict', ...files)
}

function chart({ source, out }) {
  run(source, 'helm', 'lint', '--quiet', '--strict', 'docker/helm/inlet')
  run(source, 'helm', 'package', 'docker/helm/inlet', '--destination', join(out, 'helm'))
}

/** The interface, the bill of materials, and what the changelog says. */
function papers({ source, out, notes }) {
  run(source, 'node', 'docker/sbom.mjs')
  copyFileSync(join(source, 'build/sbom/packages.cdx.json'), join(out, 'packages.cdx.json'))
  copyFileSync(join(source, 'openapi.yaml'), join(out, 'openapi.yaml'))
  writeFileSync(join(out, 'NOTES.md'), `${notes}\n`)
}

/** `sha256sum --check SHA256SUMS` reads it. */
export function writeSums(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  const line = (path) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex')}  ${path}\n`
  writeFileSync(join(folder, 'SHA256SUMS'), files.map(line).join(''))
}

export function isHere(command) {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function run(cwd, command, ...given) {
  execFileSync(command, given, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
}

function read(cwd, command, ...given) {
  return execFileSync(command, given, { cwd, encoding: 'utf8' }).trim()
}
