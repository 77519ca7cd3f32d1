import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { inBothHomes, inChromium, type Room } from './in-chromium.js'

const CALL = {
  text: ['The cat sat on the mat', 'On the mat the cat sat'],
  batch_size: 8,
  batch_index: 0,
  outputs: ['input_embeddings'],
}

const TYPES = { npy: 'application/x-npy', safetensors: 'application/vnd.safetensors' }

async function served({ url }: Room, type: keyof typeof TYPES): Promise<Buffer> {
  const headers = { 'content-type': 'application/json', accept: TYPES[type] }
  const sent = { method: 'POST', headers, body: JSON.stringify(CALL) }
  return Buffer.from(await (await fetch(`${url}v1/input-embeddings`, sent)).arrayBuffer())
}

inBothHomes('a tensor', (room) => {
  it.each(['npy', 'safetensors'] as const)(
    'is, saved as %s, the file that the service writes',
    async (type) => {
      const { page } = await room.open()
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save as ${type}` }).click(),
      ])
      expect(saved.suggestedFilename()).toBe(`input_embeddings.${type}`)
      expect((await readFile(await saved.path())).equals(await served(room, type))).toBe(true)
    },
  )
})

inChromium('what is taken from the page', (room) => {
  it('is, copied as lines and run as they are, the same array', async () => {
    const { page } = await room.open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the lines' }).click()
    await page
      .getByText(/copied/i)
      .first()
      .waitFor({ state: 'attached' })
    const lines = await page.evaluate(() => navigator.clipboard.readText())
    expect(lines.trim()).toBe((await page.locator('#take code').first().innerText()).trim())
    const folder = await mkdtemp(join(tmpdir(), 'inlet-lines-'))
    try {
      await promisify(execFile)('bash', ['-c', lines], { cwd: folder })
      const written = await readFile(join(folder, 'input_embeddings.npy'))
      expect(written.equals(await served(room, 'npy'))).toBe(true)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
