import { spawnSync } from 'node:child_process'
import { lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openOutput } from '../../src/cli/output.js'
import { inFolder } from './run-command.js'

/** The id of a process that has ended. */
function goneProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

test('a file appears under its name only when it is whole', async () => {
  await inFolder(async (folder) => {
    const output = await openOutput(join(folder, 'x.npy'))
    await output.write(Buffer.from('first'))
    const [part, ...others] = await readdir(folder)
    expect([part, others]).toEqual([expect.stringMatching(/^\.x\.npy\..+\.part$/), []])
    await output.finish()
    expect(await readdir(folder)).toEqual(['x.npy'])
    expect(await readFile(join(folder, 'x.npy'), 'utf8')).toBe('first')
  })
})

test('a link keeps pointing to its file, which is replaced', async () => {
  await inFolder(async (folder) => {
    const [file, link] = [join(folder, 'file.npy'), join(folder, 'link.npy')]
    await writeFile(file, 'before')
    await symlink('file.npy', link)
    const output = await openOutput(link)
    await output.write(Buffer.from('after'))
    await output.finish()
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect(await readFile(file, 'utf8')).toBe('after')
  })
})

test('what a killed run left is removed by the next one for the same file, and nothing else', async () => {
  await inFolder(async (folder) => {
    const begun = await openOutput(join(folder, 'x.npy'))
    const [own] = await readdir(folder)
    const gone = goneProcess()
    const stale = own.replace(`-${process.pid}-`, `-${gone}-`)
    const kept = [
      own, // its process runs
      stale.replace('.x.npy.', '.y.npy.'), // another file's
      stale.replace(/[\da-f]{6}-/, '000000-'), // another machine's
      `.x.npy.${gone}.part`, // not a name of ours
      `${stale}.bak`,
      stale.slice(1),
    ]
    for (const name of [stale, ...kept.slice(1)]) await writeFile(join(folder, name), '')
    const next = await openOutput(join(folder, 'x.npy'))
    await next.discard()
    expect((await readdir(folder)).sort()).toEqual([...kept].sort())
    await begun.discard()
  })
})

test('a process that ends in the middle takes its part along', async () => {
  await inFolder(async (folder) => {
    const others = process.listeners('exit')
    vi.resetModules()
    const { openOutput } = await import('../../src/cli/output.js')
    const atExit = process.listeners('exit').filter((listener) => !others.includes(listener))
    await openOutput(join(folder, 'x.npy'))
    const whole = await openOutput(join(folder, 'y.npy'))
    await whole.finish()
    expect(await readdir(folder)).toHaveLength(2)
    for (const listener of atExit) listener(1)
    expect(await readdir(folder)).toEqual(['y.npy'])
  })
})
