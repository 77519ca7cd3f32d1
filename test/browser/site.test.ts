import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { positionSchemes } from '../../src/first-layer/embeddings/positions/registry.js'
import { foundEverywhere } from './axe.js'
import { inChromium } from './in-chromium.js'
import { openPage } from './open-page.js'
import { serveSite } from './static-site.js'

const NO_MODELS = mkdtempSync(join(tmpdir(), 'inlet-no-models-'))
afterAll(() => rmSync(NO_MODELS, { recursive: true }))

const LINE = 'I had always thought Jack Gisburn rather a cheap genius — a good fellow enough, 👩‍🚀 हिन्दी.'
const LONG = Array.from({ length: 3000 }, (_, i) => `${LINE} ${i}\n`).join('')
const WINDOWS = { context_length: 4, stride: 2 }
const ALL = ['input_embeddings', 'token_embeddings', 'inputs_embeds', 'input_ids', 'target_ids']
const PLACES = ['attention_mask', 'position_ids', 'document_ids', 'window_starts']
const SHUFFLED = { text: LINE, ...WINDOWS, batch_size: 3, shuffle: true, seed: 123 }
const IDS = [[40, 367, 2885], [1464]]

/** Bodies of `/v1/input-embeddings`. */
const EMBED: readonly object[] = [
  { text: 'Hello, world!' },
  { text: LONG, outputs: ['input_ids'] },
  { text: LONG, context_length: 256, stride: 128, batch_size: 8, batch_index: 3 },
  { text: LINE, ...WINDOWS, outputs: ['position_embeddings', ...ALL, ...PLACES] },
  { text: [LINE, 'a'], outputs: [...ALL, ...PLACES] },
  { text: [LINE, 'a'], ...WINDOWS, tail: 'pad', pad_token_id: 7, outputs: [...ALL, ...PLACES] },
  { text: LINE, truncation: true, max_length: 5 },
  { text: `a<|endoftext|>b\u0000\ufeff`, allowed_special: [] },
  { text: 'a<|endoftext|>b', allowed_special: 'all' },
  { input_ids: IDS, position_offset: 7, outputs: [...ALL, ...PLACES] },
  { input_ids: IDS, token_type_ids: [[0, 1, 1], [0]], architecture: 'bert' },
  { input_ids: IDS, ids_dtype: 'int64', outputs: ['input_ids', 'attention_mask'] },
  { text: LINE, position_offset: 1000 },
  ...['gpt2', 'llama', 'bloom', 'opt', 'gemma'].map((architecture) => ({ text: LINE, architecture })),
  ...['float16', 'bfloat16'].flatMap((dtype) => [
    { text: LINE, dtype },
    { ...SHUFFLED, dtype, position_embedding: 'sinusoidal' },
  ]),
  ...[0, 1, 5].map((epoch) => ({ ...SHUFFLED, epoch, batch_index: 1, outputs: [...ALL, ...PLACES] })),
  { ...SHUFFLED, seed: '18446744073709551615', drop_last: true },
  ...positionSchemes.flatMap(({ type }) => [
    { text: LINE, position_embedding: type },
    { text: LINE, position_embedding: type, position_offset: 9, ...WINDOWS, dtype: 'float16' },
    { text: LINE, position_embedding: { type }, context_length: 3, batch_size: 2, batch_index: 1 },
  ]),
  { text: LINE, position_embedding: { type: 'rope', scaling: { type: 'linear', factor: 2 } } },
  // Refused.
  {},
  { text: '' },
  { text: ['a', 'b\ud800'] },
  { texts: 'a' },
  { text: 'a', stride: 2 },
  { text: LINE, context_length: 2000 },
  { text: 'a', context_length: 4 },
  { input_ids: [1, 50257] },
  { text: 'a', model: 'other' },
  { text: 'a', architecture: 'qwen3' },
  { text: 'a', architecture: 'other' },
  { text: 'a', outputs: ['cos'] },
  { ...SHUFFLED, batch_index: 99 },
  { text: 'a', position_embedding: { type: 'rope', base: -1 } },
]

/** Bodies of `/v1/tokenize`. */
const TOKENIZE: readonly object[] = [
  { text: LINE },
  { text: LONG },
  { text: ['a', LINE, '<|endoftext|>'], encoding: 'gpt2' },
  { text: 'x', allowed_special: ['<|other|>'] },
  { text: 7 },
  {},
]

const CHATS = new URL('../goldens/chats/', import.meta.url)
const MESSAGES = [
  ['system', 'You count ships.'],
  ['user', 'How many, 👩‍🚀?'],
  ['assistant', 'Two\nships. '],
  ['user', 'And at night?'],
  ['assistant', '<think>\nहिन्दी\n</think>\n\nNone.'],
].map(([role, content]) => ({ role, content }))
const TEMPLATES = readdirSync(CHATS)
  .filter((name) => name !== 'two-templates')
  .map((name) => readFileSync(new URL(`${name}/chat_template.jinja`, CHATS), 'utf8'))

/** Bodies of `/v1/tokenize` with a chat: the default model has no template. */
const CHAT: readonly object[] = [
  ...TEMPLATES.flatMap((chat_template) => [
    { messages: MESSAGES, chat_template },
    { messages: MESSAGES, chat_template, mask: 'sampled' },
    { messages: MESSAGES.slice(0, 3), chat_template, mask: 'sampled', add_generation_prompt: false },
    { messages: MESSAGES.slice(1), chat_template, mask: 'tags', chat_template_kwargs: { think: true } },
  ]),
  { messages: MESSAGES, chat_template: TEMPLATES[0], mask: 'sampled', count_only: true },
  { messages: MESSAGES, chat_template: '{{ messages[0].content }}{{ 1.0 }}', continue_final_message: true },
  { messages: MESSAGES, chat_template: '{{ raise_exception("no") }}', mask: 'sampled' },
  { messages: MESSAGES, chat_template: '{% for %}', mask: 'sampled' },
  { messages: MESSAGES, mask: 'sampled' },
  { messages: MESSAGES },
  { messages: [], chat_template: 'a' },
  { messages: [{ role: 7 }], chat_template: 'a', mask: 'sampled' },
  { messages: MESSAGES, text: 'a' },
  { text: 'a', mask: 'tags' },
]

/** Bodies of `/v1/models/default/neighbors`. */
const NEIGHBORS: readonly object[] = [
  ...['cosine', 'dot', 'euclidean'].flatMap((metric) => [
    { input_ids: [11, 0], metric },
    { text: ['Hello, world!', LINE], metric, k: 100 },
    { input_ids: [[3], [0, 1023]], metric, table: 'position' },
    { vector: Array.from({ length: 256 }, (_, i) => Math.sin(i)), metric, k: 3 },
  ]),
  { vector: [1] },
  { input_ids: [1024], table: 'position' },
  { input_ids: [50257] },
  { text: '' },
  { text: 'a', k: 0 },
  {},
]

/** Every value with its tensors' bytes in base64, as the service's JSON has them. */
async function ofModule(
  page: Page,
  module: string,
  calls: readonly (readonly ['embed' | 'tokenize' | 'neighbors', object])[],
) {
  // biome-ignore lint/suspicious/noExplicitAny: a module of JavaScript
  const ask = async ([{ open }, all]: [any, typeof calls]) => {
    const inlet = await open()
    const base64 = (bytes: Uint8Array) =>
      btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    const answers: unknown[] = []
    for (const [name, body] of all) {
      const answer = await inlet[name](body).catch(
        (error: Error & { code: string; param: string | null }) => {
          return { error: { code: error.code, message: error.message, param: error.param } }
        },
      )
      for (const tensor of Object.values<{ data: unknown }>(answer.outputs ?? {})) {
        const { buffer, byteOffset, byteLength } = tensor.data as Uint8Array
        tensor.data = base64(new Uint8Array(buffer, byteOffset, byteLength))
      }
      answers.push(answer)
    }
    return answers
  }
  const loaded = await page.evaluateHandle(`import(${JSON.stringify(module)})`)
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  return page.evaluate(ask, [loaded, calls] as any) as Promise<any[]>
}

/** The numbers of a tensor in base64. */
function int32(tensor?: { readonly data: string }) {
  if (tensor === undefined) return undefined
  const { buffer, byteOffset, length } = Buffer.from(tensor.data, 'base64')
  return [...new Int32Array(buffer, byteOffset, length / 4)]
}

inChromium(
  'the site, which has no service',
  (room) => {
    async function served(path: string, body: object) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(room.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return response.json()
    }

    it(`gives ${EMBED.length} answers and refusals of input embeddings as the service does, to the bit`, async () => {
      const { page, complaints, requests } = await openPage(room.browser, room.site)
      const calls = EMBED.map((body) => ['embed', body] as const)
      const given = await ofModule(page, `${room.site}inlet.js`, calls)
      for (const [i, body] of EMBED.entries()) {
        const { error, ...answer } = await served('v1/input-embeddings', {
          ...body,
          encoding_format: 'base64',
        })
        const { type: _, ...refusal } = error ?? {}
        const named = JSON.stringify(body).slice(0, 200)
        if (error === undefined)
          expect({ metadata: {}, ...given[i] }, named).toEqual({ metadata: {}, ...answer })
        else expect(given[i], named).toEqual({ error: refusal })
      }
      expect(requests.filter((each) => !each.startsWith(room.site))).toEqual([])
      expect(complaints).toEqual([])
    })

    it('tokenizes as the service does, on a host of another origin too, isolated or not', async () => {
      const isolated = {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      }
      const shared = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
      const [other, own] = [await serveSite({ ...isolated, ...shared }), await serveSite(isolated)]
      try {
        const page = await room.browser.newPage()
        await page.goto(`${own.url}inlet.js`)
        expect(await page.evaluate('crossOriginIsolated')).toBe(true)
        const bodies = [...TOKENIZE, ...CHAT]
        const calls = bodies.map((body) => ['tokenize', body] as const)
        const given = await ofModule(page, `${other.url}inlet.js`, calls)
        for (const [i, body] of bodies.entries()) {
          const { input_ids, loss_mask, num_tokens, num_characters, error } = await served(
            'v1/tokenize',
            body,
          )
          const { type: _, ...refusal } = error ?? {}
          if (error !== undefined) {
            expect(given[i]).toEqual({ error: refusal })
            continue
          }
          const { outputs: { input_ids: ids, loss_mask: mask } = {}, ...facts } = given[i]
          expect([int32(ids), int32(mask)], JSON.stringify(body)).toEqual([input_ids, loss_mask])
          expect(facts).toMatchObject({ num_tokens, num_characters })
        }
        await page.close()
      } finally {
        other.close()
        own.close()
      }
    })

    it('finds the neighbours that the service finds, to the bit', async () => {
      const { page } = await openPage(room.browser, room.site)
      const calls = NEIGHBORS.map((body) => ['neighbors', body] as const)
      const given = await ofModule(page, `${room.site}inlet.js`, calls)
      for (const [i, body] of NEIGHBORS.entries()) {
        const { error, ...answer } = await served('v1/models/default/neighbors', body)
        const { type: _, ...refusal } = error ?? {}
        expect(given[i], JSON.stringify(body)).toEqual(error === undefined ? answer : { error: refusal })
      }
    })

    it('shows every preset and each scheme of positions, asks no other host, and keeps its policy', async () => {
      const { page, begin, settled, complaints, requests } = await openPage(room.browser, room.site)
      for (const preset of await page.locator('.presets b').allTextContents()) {
        await begin(preset)
        expect(await page.locator('.refused, .notice').count(), preset).toBe(0)
      }
      await begin('The cat moves')
      for (const { type } of positionSchemes) {
        await page.selectOption('#field-position_embedding', type)
        await page.waitForSelector(type === 'none' ? '#positions .empty' : `#positions b:text-is("${type}")`)
      }
      await settled()
      const cards = await page.locator('.card').evaluateAll((all) => all.map(({ id }) => id))
      expect(cards).toEqual([
        'tokens',
        'windows',
        'table',
        'positions',
        'sum',
        'same-word',
        'train',
        'merges',
        'chat',
        'take',
      ])
      expect(await page.locator('main > .note').innerText()).toContain('need a service')
      await page.fill('#field-context_length', '2000')
      await page.locator('.refused, .notice').first().waitFor()
      expect(requests.filter((each) => !each.startsWith(room.site))).toEqual([])
      expect(complaints).toEqual([])
    })

    it('is small: what a browser loads before the first number', () => {
      const folder = new URL('../../dist/site/', import.meta.url)
      const loaded = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /^(worker|explorer.)[^.]*\.(js|css)$|^index|^inlet|^ranks.*bin$/.test(name),
      )
      expect(loaded.length).toBe(6)
      const packed = (names: string[]) =>
        names.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder))).length, 0)
      expect(packed(loaded.filter((name) => !name.startsWith('ranks')))).toBeLessThan(200_000)
      expect(packed(loaded)).toBeLessThan(450_000)
    })

    describe('has documents', () => {
      it('whose links lead to pages and headings that are there', async () => {
        const page = await room.browser.newPage()
        await page.goto(`${room.site}docs/index.html`)
        const names = await page
          .locator('#found h2 a')
          .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
        expect(names.length).toBeGreaterThan(30)
        const [ids, links] = [new Map<string, Set<string>>(), new Set<string>()]
        for (const name of [...names, page.url()]) {
          await page.goto(name)
          ids.set(name, new Set(await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))))
          const found = await page
            .locator('a')
            .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
          for (const link of found) if (link.startsWith(`${room.site}docs/`)) links.add(link)
        }
        const lost = [...links].filter((link) => {
          const [file = '', id = ''] = link.split('#')
          return (
            file.endsWith('.html') &&
            !(ids.has(file) && (id === '' || ids.get(file)!.has(decodeURIComponent(id))))
          )
        })
        expect(lost).toEqual([])
        await page.close()
      })

      it('with a search of headings, that everybody can read', async () => {
        const page = await room.browser.newPage()
        const complaints: string[] = []
        page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
        await page.goto(room.site)
        await page.getByRole('link', { name: 'Documents' }).click()
        await page.getByLabel('Find a heading').fill('packing')
        const shown = page.locator('#found a:visible')
        await page.waitForFunction(
          () => document.querySelectorAll('#found section:not([hidden])').length < 30,
        )
        expect(await shown.count()).toBeGreaterThan(0)
        expect(await foundEverywhere(page)).toEqual([])
        await page.goto(`${room.site}docs/library.html`)
        expect(await foundEverywhere(page)).toEqual([])
        expect(complaints).toEqual([])
        await page.close()
      })
    })
  },
  { MODELS_DIR: NO_MODELS },
)
