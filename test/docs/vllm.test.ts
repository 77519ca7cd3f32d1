import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_UPSTREAM_HEADER_BYTES } from '../../src/http/proxy/upstream-errors.js'
import { promptEmbedsRequest } from '../../src/wire/schemas/prompt-embeds.js'
import { Proxied } from '../http/proxy/proxied.js'
import { readTorchFile } from '../torch-file.js'
import { curlCalls } from './curl.js'

const PAGE = readFileSync('docs/vllm.md', 'utf8')
const [toInlet, toServer, throughProxy] = curlCalls(PAGE)

/** Shape of the rows in a string of base64. */
const shapeOf = (base64: string) => readTorchFile(Buffer.from(base64, 'base64')).shape

describe('docs/vllm.md', () => {
  let proxied: Proxied
  beforeAll(async () => {
    proxied = await Proxied.start()
  })
  afterAll(() => proxied.close())

  /** Where the page has the service and the model server, there are these of the test. */
  const here = (url: string) =>
    url.replace('http://localhost:8000', proxied.url).replace('http://localhost:8001', proxied.upstream.url)

  it('has three calls of curl', () => {
    const calls = curlCalls(PAGE).map(({ url, readsPipe }) => [url, readsPipe])
    expect(calls).toEqual([
      ['http://localhost:8000/v1/prompt-embeds', false],
      ['http://localhost:8001/v1/completions', true],
      ['http://localhost:8000/v1/completions', false],
    ])
  })

  it('gets rows that it hands to the model server', async () => {
    const answer = await fetch(here(toInlet.url), toInlet.init)
    const given = (await answer.json()) as { prompt_embeds: string[] }
    const { model, text } = JSON.parse(toInlet.init.body!)
    expect(model).toBe('llama')
    const { length } = await proxied.ids(text, true)
    expect(given.prompt_embeds.map(shapeOf)).toEqual([[length, 4]])

    expect(PAGE).toContain(
      'jq \'{model: "meta-llama/Llama-3.1-8B-Instruct", prompt_embeds: .prompt_embeds[0],',
    )
    const body = JSON.stringify({ prompt_embeds: given.prompt_embeds[0] })
    const completed = await fetch(here(toServer.url), { ...toServer.init, body })
    expect(completed.status).toBe(200)
    expect(proxied.upstream.received.at(-1)).toMatchObject({ url: '/v1/completions', body })
  })

  it('sends a completion through the proxy, and its stream comes back', async () => {
    proxied.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n')
    }
    const answer = await fetch(here(throughProxy.url), throughProxy.init)
    expect([answer.status, await answer.text()]).toEqual([200, 'data: [DONE]\n\n'])
    const { prompt, ...others } = JSON.parse(throughProxy.init.body!)
    const { prompt_embeds, ...passed } = JSON.parse(proxied.upstream.received.at(-1)!.body)
    expect(passed).toEqual(others)
    expect(shapeOf(prompt_embeds)).toEqual([(await proxied.ids(prompt, true)).length, 4])
  })

  it('lists the fields of /v1/prompt-embeds', () => {
    const [, rows] = /^\| field \| default \| meaning \|\n.*\n((?:\|.*\n)+)/m.exec(PAGE)!
    const firstCells = rows.split('\n').map((row) => row.split('|')[1] ?? '')
    const names = firstCells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name))
    expect(names.sort()).toEqual(Object.keys(promptEmbedsRequest.shape).sort())
  })

  it('names the bound of an answer’s header', () => {
    expect(PAGE).toContain(`over ${MAX_UPSTREAM_HEADER_BYTES.toLocaleString('en-US')} bytes`)
  })
})
