import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A copy of the committed files of `root`, with its packages and its build, that goes with the process. */
export function copyOf(root) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-mutations-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  execFileSync('git', ['clone', '-q', root, folder])
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  bundle(folder)
  return folder
}

/** Builds the service of a copy anew, a second's work. @returns whether it could be built */
export function bundle(folder) {
  try {
    execFileSync('node_modules/.bin/rolldown', ['-c', 'rolldown.config.ts'], { cwd: folder, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
