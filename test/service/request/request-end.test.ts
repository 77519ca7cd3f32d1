import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MEDIA_TYPES } from '../../decode.js'
import { type LogLine, listen, type TestService, testService } from '../../helper.js'
import { exchange, jsonRequest, open } from '../../raw-http.js'
import { until } from '../../until.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService({ MAX_JSON_BODY_BYTES: '16777216' })
  port = await listen(service)
})
afterAll(() => service.close())

/** The log's line about a request, and what it added to the bytes that are counted for `format`. */
async function told(
  format: string,
  act: () => Promise<unknown>,
): Promise<{ line: LogLine; counted: number }> {
  const counted = async () => {
    const { body } = await service.app.inject('/metrics')
    return Number(new RegExp(`inlet_response_bytes_total\\{format="${format}"\\} (\\d+)`).exec(body)?.[1])
  }
  const before = await counted()
  const lines = service.log.lines.length
  await act()
  const about = () => service.log.lines.slice(lines).find(({ msg }) => msg === 'request')
  await until(() => about() !== undefined)
  return { line: about() as LogLine, counted: (await counted()) - before }
}

const get = (method: string) => `${method} /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

test('an answer that was taken whole counts with its length', async () => {
  let length = 0
  const { line, counted } = await told('json', async () => {
    const [{ body }] = await exchange(port, get('GET'))
    length = body.length
  })
  expect(length).toBeGreaterThan(100)
  expect([line.bytesOut, counted]).toEqual([length, length])
  expect(line).not.toHaveProperty('brokenOff')
})

test('an answer to HEAD has a length and no bytes', async () => {
  const { line, counted } = await told('json', () => exchange(port, get('HEAD')).catch(() => {}))
  expect([line.status, line.bytesOut, counted]).toEqual([200, 0, 0])
  expect(line).not.toHaveProperty('brokenOff')
})

test('an answer that the client does not take to its end is broken off, and counts as far as it came', async () => {
  const call = { input_ids: Array(1 << 19).fill(7), position_embedding: 'none' } // 16 MiB
  const { line, counted } = await told('raw', async () => {
    const socket = await open(port)
    socket.write(jsonRequest('/v1/input-embeddings', JSON.stringify(call), [`Accept: ${MEDIA_TYPES.raw}`]))
    await once(socket, 'data')
    socket.destroy()
  })
  expect(line).toMatchObject({ status: 200, brokenOff: true })
  expect(line.bytesOut).toBe(counted)
  expect(counted).toBeGreaterThan(0)
  expect(counted).toBeLessThan(1 << 25)
})
