import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SMOKE } from './smoke.mjs'

// Rivals from npm live in a separate folder: the project does not depend on them.
const FOLDER = join(tmpdir(), 'inlet-bench')
const MODULES = join(FOLDER, 'node_modules')

/** Installs what is not there yet. @returns why not, or undefined */
export function installRivals(...names) {
  const missing = names.filter((name) => !existsSync(join(MODULES, name)))
  if (missing.length === 0) return undefined
  if (SMOKE) return `${missing.join(', ')}: not installed for --smoke`
  mkdirSync(FOLDER, { recursive: true })
  if (!existsSync(join(FOLDER, 'package.json')))
    writeFileSync(join(FOLDER, 'package.json'), '{"private":true}')
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...missing], {
      cwd: FOLDER,
      stdio: 'pipe',
    })
    return undefined
  } catch (error) {
    return `npm cannot install ${missing.join(', ')}: ${String(error.stderr ?? error).split('\n')[0]}`
  }
}

/** Imports from the rivals' folder: `gpt-tokenizer/encoding/r50k_base`. */
export async function importRival(specifier) {
  const door = join(FOLDER, 'import.mjs')
  if (!existsSync(door)) writeFileSync(door, 'export const here = (specifier) => import(specifier)\n')
  const { here } = await import(pathToFileURL(door).href)
  return here(specifier)
}

export function rivalVersion(name, modules = MODULES) {
  return JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version
}

/** The path of a file of an installed rival. */
export function rivalPath(...parts) {
  return join(MODULES, ...parts)
}
