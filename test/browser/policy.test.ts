import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCHEMES } from '../../src/features/explorer/page/schemes.js'
import { inChromium } from './in-chromium.js'
import { openPage } from './open-page.js'

/** Long enough for what a page would ask for by a clock. */
const IDLE_MS = 1500

inChromium('what the page asks for and runs', (room) => {
  it('is its own, with every preset and scheme: no other origin, no violation of its policy, nothing once it is idle', async () => {
    const { page, settled, begin, complaints, requests } = await room.open()
    const presets = await page.locator('.presets b').allTextContents()
    expect(presets).toHaveLength(9)
    for (const preset of presets) {
      await begin(preset)
      expect(await page.locator('.refused, .notice').count(), preset).toBe(0)
    }
    await begin(presets[0])
    for (const scheme of Object.keys(SCHEMES)) {
      await page.selectOption('#field-position_embedding', scheme)
      await page.waitForSelector(
        scheme === 'none' ? '#positions .empty' : `#positions b:text-is("${scheme}")`,
      )
    }
    await settled()
    const asked = requests.length
    await delay(IDLE_MS)
    expect(requests.slice(asked)).toEqual([])
    expect(requests.filter((each) => !each.startsWith(room.url))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('leaves nothing moving where motion is to be reduced', async () => {
    const { page, settled } = await room.open({ reducedMotion: 'reduce' })
    await page.getByRole('button', { name: /^Walk with me/ }).click()
    await page.keyboard.press('ArrowRight')
    // An element that waits and then dims at once does not move.
    const moving = await page.evaluate(
      () =>
        document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().duration !== 0).length,
    )
    expect(moving).toBe(0)
    await settled()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe('auto')
  })

  describe('behind a path', () => {
    let proxy: Server
    let address: string
    beforeAll(async () => {
      proxy = createServer((incoming, outgoing) => {
        const { url = '', method, headers } = incoming
        if (!url.startsWith('/a/prefix/')) return void outgoing.writeHead(404).end()
        const target = new URL(url.slice('/a/prefix/'.length), room.url)
        const passed = forward(target, { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        })
        passed.on('error', () => outgoing.destroy())
        incoming.pipe(passed)
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/a/prefix/`
    })
    afterAll(() => proxy?.close())

    it('works as at the root: every call and file below that path', async () => {
      const { page, settled, complaints, requests } = await openPage(room.browser, address)
      await page.fill('#field-text', 'below a path')
      await settled()
      expect(await page.locator('#tokens .strip').first().innerText()).toContain('below')
      expect(requests.filter((each) => !each.startsWith(address))).toEqual([])
      expect(complaints).toEqual([])
    })
  })
})
