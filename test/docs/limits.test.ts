import { readFileSync } from 'node:fs'
import { maxHeaderSize } from 'node:http'
import { MAX_LEVELS, MAX_STEPS, MAX_STEPS_AT_ONCE } from 'inlet-chat-template'
import { describe, expect, test } from 'vitest'
import { MAX_SKIPPED_NUMBERS } from '../../src/first-layer/cards/draw-tables.js'
import { MAX_SLOTS } from '../../src/first-layer/datasets/recipe-options.js'
import { MAX_DRAWN_NUMBERS } from '../../src/first-layer/embeddings/positions/drawn-tables.js'
import { MAX_EMBEDDINGS } from '../../src/first-layer/given.js'
import { MAX_KEYS, MAX_PARTS } from '../../src/first-layer/json.js'
import { MAX_OUTPUTS, MAX_SPECIAL } from '../../src/first-layer/options/names.js'
import { MAX_DEPTH, MAX_FIELDS } from '../../src/first-layer/options/query.js'
import { MAX_EPOCH } from '../../src/first-layer/random/permutation.js'
import {
  MOST_BYTES_AT_WORK,
  MOST_BYTES_OPEN,
  MOST_BYTES_WAITING,
  MOST_PROCESS_BYTES,
  OPEN_MS,
  TEXT_MICROSECONDS_PER_BYTE,
  TEXT_MS,
} from '../../src/first-layer/tokens/rust/rust-library.js'
import {
  MAX_RUST_IDS,
  MAX_RUST_TEXT_BYTES,
  MAX_RUST_TOKEN_BYTES,
} from '../../src/first-layer/tokens/rust/rust-tokenizer.js'
import { ERRORS, VARIABLES } from '../../src/service/features.js'
import { MAX_UPLOADS } from '../../src/service/models/keeper/keeper.js'
import { MAX_MODELS } from '../../src/service/models/keeper/registry.js'
import { MAX_CALLERS } from '../../src/service/process/keys/api-keys.js'
import { HANDSHAKE_MS } from '../../src/service/process/listening/certificate.js'
import { MOST_SHORT_TURNS } from '../../src/service/process/turn.js'
import { MAX_FILE_HEADER_BYTES } from '../../src/service/request/body/file-reader.js'
import { LEAST_BYTES } from '../../src/service/request/body/slow-bodies.js'
import { SMALL_BODY_BYTES, SMALL_BYTES } from '../../src/service/request/claims.js'
import { MOST_WORKS } from '../../src/service/request/load.js'
import { testService } from '../helper.js'

const PAGE = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')

/** The cells of each row of the table under a heading. */
function rows(heading: string): string[][] {
  const section = PAGE.split(`## ${heading}\n`)[1].split('\n## ')[0]
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Defaults that are not one number. */
const IN_WORDS: Readonly<Record<string, string>> = {
  MAX_BYTES_IN_FLIGHT: 'half of the usable memory',
  MAX_TABLE_BYTES: 'half of the usable memory',
  DRAIN_SECONDS: '5; 0 at a terminal',
}

const IS_LIMIT = /^(MAX_(?!POSITION)|\w+_(SECONDS|MS)$)/

describe('docs/limits.md', () => {
  test('lists every limit of the configuration with its default', () => {
    const listed = Object.fromEntries(rows('By environment').map(([name, , value]) => [name, value]))
    const limits = VARIABLES.filter(({ name }) => IS_LIMIT.test(name))
    expect(listed).toEqual(
      Object.fromEntries(limits.map(({ name, default: value }) => [`\`${name}\``, IN_WORDS[name] ?? value])),
    )
  })

  test('lists what is fixed with the values of the code', () => {
    const values = rows('Fixed').map(([, value]) => Number.parseInt(value.replace('below ', ''), 10))
    expect(values).toEqual([
      MAX_DEPTH,
      MAX_PARTS,
      MAX_KEYS,
      MAX_FIELDS,
      MAX_DEPTH,
      MAX_OUTPUTS,
      MAX_SPECIAL,
      MAX_DRAWN_NUMBERS,
      MAX_EPOCH,
      MAX_SLOTS,
      SMALL_BODY_BYTES,
      SMALL_BYTES,
      MOST_WORKS,
      MOST_SHORT_TURNS,
      LEAST_BYTES,
      maxHeaderSize,
      MAX_FILE_HEADER_BYTES,
      MAX_UPLOADS,
      MAX_CALLERS,
      HANDSHAKE_MS,
      MAX_MODELS,
      MAX_SKIPPED_NUMBERS,
      MAX_RUST_TEXT_BYTES,
      MAX_RUST_IDS,
      MAX_RUST_TOKEN_BYTES,
      MOST_BYTES_AT_WORK,
      MOST_BYTES_WAITING,
      TEXT_MS,
      TEXT_MICROSECONDS_PER_BYTE,
      OPEN_MS,
      MOST_BYTES_OPEN,
      MOST_PROCESS_BYTES,
      MAX_EMBEDDINGS,
      MAX_STEPS,
      MAX_STEPS_AT_ONCE,
      MAX_LEVELS,
    ])
  })

  test('gives the allocator the values that the container and npm start give it', () => {
    const values = Array.from(PAGE.matchAll(/`(MALLOC_\w+=\d+)`/g), ([, value]) => value)
    expect(values).toHaveLength(2)
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    const { start } = JSON.parse(read('package.json')).scripts
    expect(start).toContain(`${values.join(' ')} exec node`)
    expect(read('Dockerfile')).toContain(`ENV ${values.join(' ')}\n`)
  })

  test('names error codes with their status, and metrics that are there', async () => {
    for (const [, status, code] of PAGE.matchAll(/(\d{3}) `(\w+)`/g)) {
      expect([code, String(ERRORS[code as keyof typeof ERRORS]?.[0])]).toEqual([code, status])
    }
    const service = await testService()
    const { body } = await service.app.inject('/metrics')
    await service.close()
    for (const [, name] of PAGE.matchAll(/`(inlet_\w+)`/g)) expect(body).toContain(`# TYPE ${name} `)
  })
})
