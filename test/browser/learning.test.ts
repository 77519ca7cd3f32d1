import { expect, it } from 'vitest'
import { floats, tableFile } from '../table-files.js'
import { until } from '../until.js'
import { foundEverywhere } from './axe.js'
import { inChromium, type Room } from './in-chromium.js'
import { tableOf } from './table-of.js'

const ADMIN_KEY = 'an-admin-key-of-32-characters-00'
/** "The cat sat on the mat": the ids that learn, of six. */
const [CAT, MAT] = [3797, 2603]
const CHANNELS = 256

inChromium(
  'a model that learns',
  (room) => {
    it('shows the rows that a step moved, how far, and all cards at its version', async () => {
      const trainer = trainerOf(room)
      await trainer.send('PUT', 'optimizer', JSON.stringify({ type: 'sgd', lr: 0.5 }))
      const { page, complaints } = await room.open()
      const card = page.locator('#learning')
      await card.getByText('No step since this page was opened.').waitFor()
      const first = await rowsOf(room)
      await trainer.gradients([CAT, MAT], 1)
      await card.getByText('1 call with gradients since').waitFor()
      await trainer.step()
      await card.getByText('2 of the 7 token rows on screen moved; the table has 50,257.').waitFor()
      expect(await card.locator('.measure span').allTextContents()).toEqual(
        expect.arrayContaining(['·cat', '·mat']),
      )
      // 256 channels, each moved by 0.5.
      expect(await card.locator('.measure b').allTextContents()).toEqual(['8', '8'])
      const second = await rowsOf(room)
      expect((await tableOf(page, 'The selected row by version')).numbers).toEqual([first[1], second[1]])
      expect((await tableOf(page, 'Token rows')).numbers).toEqual(second)
      expect((await tableOf(page, 'Rows of the table')).numbers[2]).toEqual(second[1])

      await trainer.gradients([MAT], 0.25)
      await trainer.step()
      await card.getByText('1 of the 7 token rows on screen moved').waitFor()
      expect(await card.locator('.measure span').allTextContents()).toEqual(['·mat'])
      expect((await tableOf(page, 'The selected row by version')).rowNames).toHaveLength(3)
      expect(await foundEverywhere(page)).toEqual([])
      expect(complaints).toEqual([])
    })

    it('asks once a second at most how far the model is, and for no row while it stands still', async () => {
      const { requests } = await room.open()
      const [before, began] = [requests.length, Date.now()]
      await until(() => requests.length >= before + 4)
      expect(Date.now() - began).toBeGreaterThan(2900)
      const asked = requests.slice(before)
      expect(new Set(asked)).toEqual(new Set([`${room.url}v1/models/default`]))
    })

    it('is, when it has learned, a model like others, and is not asked again', async () => {
      const { page, requests } = await room.open()
      await trainerOf(room).send('DELETE', 'optimizer')
      await page.waitForSelector('#learning', { state: 'detached' })
      const before = requests.length
      await page.waitForTimeout(2500)
      expect(requests.slice(before)).toEqual([])
    })
  },
  { ADMIN_KEY },
)

/** Rows of the first window. */
async function rowsOf({ ask }: Room): Promise<number[][]> {
  const text = ['The cat sat on the mat', 'On the mat the cat sat']
  const { outputs } = await ask('v1/input-embeddings', { text, outputs: ['token_embeddings'] })
  return outputs.token_embeddings.data[0]
}

/** A trainer of the default model: it continues from the number that the service names. */
function trainerOf({ url }: Room) {
  const send = async (method: string, path: string, body?: BodyInit, headers = {}) => {
    const type = typeof body === 'string' ? 'application/json' : 'application/vnd.safetensors'
    const answer = await fetch(`${url}v1/models/default/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
      body: body ?? null,
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  }
  const post = (path: string, body: BodyInit) => send('POST', path, body)
  return {
    send,
    /** The same gradient for each channel of each row. */
    gradients: (ids: readonly number[], gradient: number) =>
      post(
        'gradients',
        new Uint8Array(
          tableFile({
            token_gradients: {
              shape: [ids.length, CHANNELS],
              bytes: floats(new Array(ids.length * CHANNELS).fill(gradient)),
            },
            token_ids: {
              shape: [ids.length],
              dtype: 'I32',
              bytes: Buffer.from(Int32Array.from(ids).buffer),
            },
          }),
        ),
      ),
    step: () => post('steps', '{}'),
  }
}
