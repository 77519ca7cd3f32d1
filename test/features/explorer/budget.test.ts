import { readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import '../../built.js'

const FOLDER = new URL('../../../dist/explorer/', import.meta.url)
const KB = 1024

const packed = (ending: string) =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, FOLDER)), { level: 9 }).length, 0)

it('is small: what a browser loads, and what the package grows by', () => {
  expect(packed('.js')).toBeLessThan(48 * KB)
  expect(packed('.css')).toBeLessThan(6 * KB)
  const all = readdirSync(FOLDER).reduce((sum, name) => sum + statSync(new URL(name, FOLDER)).size, 0)
  expect(all).toBeLessThan(180 * KB)
})
