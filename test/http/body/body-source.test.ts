import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodySource } from '../../../src/http/body/body-source.js'
import { type Claim, UNBOUNDED } from '../../../src/load/claim.js'
import { checkProperty } from '../../property.js'

/** A request whose body a test writes, as far as a reader of bodies looks at it. */
function arriving(claim: Claim = UNBOUNDED) {
  const raw = Object.assign(new PassThrough(), { headers: {}, socket: { bytesRead: 0 } })
  const request = { headers: {}, raw, claim } as never
  return { raw, source: (limit = 1000) => bodySource(request, limit) }
}

const all = () => true

describe('a body that comes by events', () => {
  test('gives each chunk once and in order, however often the reader waits between two', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 20 })
    await checkProperty(
      fc.asyncProperty(chunks, fc.infiniteStream(fc.boolean()), async (given, goesOn) => {
        const { raw, source } = arriving()
        const body = source()
        const found: Uint8Array[] = []
        const take = (chunk: Uint8Array) => {
          found.push(chunk)
          return goesOn.next().value
        }
        const writing = (async () => {
          for (const [i, chunk] of given.entries()) {
            raw.write(chunk)
            if (i % 3 === 0) await setImmediate()
          }
          raw.end()
        })()
        while (await body.each(take)) if (goesOn.next().value) await setImmediate()
        await writing
        expect(Buffer.concat(found)).toEqual(Buffer.concat(given))
        expect(await body.each(take)).toBe(false)
      }),
      50,
    )
  })

  test('waits after the chunk of which the reader says so', async () => {
    const { raw, source } = arriving()
    const body = source()
    raw.write('one')
    const seen: string[] = []
    const take = (chunk: Uint8Array) => seen.push(String(chunk)) > 1
    expect(await body.each(take)).toBe(true)
    raw.write('two')
    await setImmediate()
    expect(seen).toEqual(['one'])
    raw.end()
    expect(await body.each(take)).toBe(false)
    expect(seen).toEqual(['one', 'two'])
  })

  test('that is too long is refused, and nothing more of it is given', async () => {
    const { raw, source } = arriving()
    const body = source(5)
    raw.write('123')
    raw.write('456')
    const seen: string[] = []
    const reading = body.each((chunk) => seen.push(String(chunk)) > 0)
    await expect(reading).rejects.toMatchObject({ code: 'body_too_large' })
    await expect(body.each(all)).rejects.toMatchObject({ code: 'body_too_large' })
    expect(seen).toEqual(['123'])
  })

  test('that breaks off, before or while it is read, is the end of its request', async () => {
    const { raw, source } = arriving()
    const body = source()
    raw.write('123')
    const reading = body.each(all)
    await setImmediate()
    raw.destroy()
    await expect(reading).rejects.toMatchObject({ name: 'ClientGone' })
    await expect(body.each(all)).rejects.toMatchObject({ name: 'ClientGone' })
  })

  test('ends with its claim', async () => {
    let abort = (_: Error) => {}
    const { source } = arriving({
      ...UNBOUNDED,
      onAbort(act) {
        abort = act
        return () => {}
      },
    })
    const reading = source().each(all)
    abort(new Error('deadline'))
    await expect(reading).rejects.toThrow('deadline')
  })
})
