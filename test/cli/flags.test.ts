import { expect, test } from 'vitest'
import { embed } from '../../src/cli/embed.js'
import { UsageError } from '../../src/cli/exit.js'
import { parseFlags } from '../../src/cli/flags.js'
import { optionFlags, optionQuery } from '../../src/cli/option-flags.js'
import { queryReader } from '../../src/wire/query.js'
import { rawTextOptions } from '../../src/wire/schemas/embedding-request.js'

const readQuery = queryReader(rawTextOptions)

test('a flag that is given again: a list grows, any other is replaced', () => {
  const args = ['--outputs', 'input_ids', '--stride', '1', '--outputs', 'target_ids,cos', '--stride', '2']
  const { values } = parseFlags(args, optionFlags)
  expect(Object.fromEntries(values)).toEqual({ outputs: 'input_ids,target_ids,cos', stride: '2' })
})

test('advice of several lines becomes one', () => {
  const flags = [
    { name: 'output', short: 'o', value: 'FILE', doc: '' },
    { name: 'format', short: 'f', value: 'NAME', doc: '' },
  ]
  expect(() => parseFlags(['-o', '-f'], flags)).toThrow(UsageError)
  expect(() => parseFlags(['-o', '-f'], flags)).toThrow(/^[^\n]*-o[^\n]*$/)
})

test.each([
  ['a letter less', '--strid', 'stride'],
  ['a letter more', '--striide', 'stride'],
  ['two other letters', '--strixx', 'stride'],
  ['letters changed over', '--epohc', 'epoch'],
])('a flag with %s: the one that was meant is named', (_, given, meant) => {
  expect(() => parseFlags([given, '1'], optionFlags)).toThrow(new RegExp(`${given}.*--${meant}\\b`))
})

test('a flag that is like no other is refused without advice', () => {
  expect(() => parseFlags(['--colour', '1'], optionFlags)).toThrow(/^[^-]*--colour[^-]*$/)
})

test('a position scheme as JSON is flattened with dots, as a type it is one field', () => {
  const json = { type: 'rope', head_dim: 128, scaling: { type: 'linear', factor: 2.5 } }
  const query = (text: string) => new URLSearchParams(optionQuery(new Map([['position-embedding', text]])))
  expect(Object.fromEntries(query(JSON.stringify(json)))).toEqual({
    'position_embedding.type': 'rope',
    'position_embedding.head_dim': '128',
    'position_embedding.scaling.type': 'linear',
    'position_embedding.scaling.factor': '2.5',
  })
  expect(query('rope').toString()).toBe('position_embedding=rope')
  expect(() => query('{"type": rope}')).toThrow(UsageError)
  expect(() => query('{"type": rope}')).toThrow(/--position-embedding.*\{"type": rope\}/)
})

test.each([
  ['empty', '{}', 'position_embedding'],
  ['empty inside', '{"type":"rope","scaling":{}}', 'position_embedding.scaling'],
  ['nested too deep', `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`, `position_embedding${'.a'.repeat(64)}`],
])('a position scheme that is %s is given to the service, which refuses it', (_, text, path) => {
  const query = new URLSearchParams(optionQuery(new Map([['position-embedding', text]])))
  expect([...query].at(-1)).toEqual([path, '{}'])
  expect(() => readQuery(query.toString())).toThrow(/Given: ("\{\}"|65)$/)
})

test('a line of the help that stands for several flags is none itself', () => {
  const flags = embed.flagGroups.flatMap((group) => group.flags)
  expect(parseFlags(['--position-embedding.head-dim', '4'], flags).values.size).toBe(1)
  expect(() => parseFlags(['--position-embedding.OPTION', '4'], flags)).toThrow(/is not a flag/)
})

test('a text that starts like JSON is one elsewhere', () => {
  const query = new URLSearchParams(optionQuery(new Map([['model', '{"type": "rope"']])))
  expect(Object.fromEntries(query)).toEqual({ model: '{"type": "rope"' })
})

test('a flag names its value as the field is written', () => {
  const values = Object.fromEntries(optionFlags.map(({ name, value }) => [name, value]))
  expect(values).toMatchObject({
    'context-length': 'N',
    seed: 'N',
    tail: 'drop|pad',
    outputs: 'A,B',
    'allowed-special': 'A,B',
    'position-embedding': 'TYPE|JSON',
    model: 'NAME',
    architecture: 'NAME',
  })
  expect(values.shuffle).toBeUndefined()
})
