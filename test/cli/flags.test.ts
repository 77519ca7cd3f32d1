import { expect, test } from 'vitest'
import { embed, embedFlags, optionFlags } from '../../src/cli/embed.js'
import { type Call, type Flag, runProgram, UsageError } from '../../src/cli/program.js'
import { run } from '../../src/cli/run.js'

/** The values of a command line `inlet make …`, of a command with these flags. */
async function valuesOf(args: readonly string[], flags: readonly Flag[]): Promise<Record<string, string>> {
  let given = {}
  const make = {
    ...{ name: 'make', summary: '', examples: [], flags: { Flags: flags } },
    run: async ({ values }: Call) => {
      given = Object.fromEntries(values)
    },
  }
  await runProgram(['make', ...args], [make], '', new AbortController().signal)
  return given
}

test('a flag that is given again: a list grows, any other is replaced', async () => {
  const args = ['--outputs', 'input_ids', '--stride', '1', '--outputs', 'target_ids,cos', '--stride', '2']
  expect(await valuesOf(args, optionFlags)).toEqual({ outputs: 'input_ids,target_ids,cos', stride: '2' })
})

test('a flag that needs a value and has none is refused in one line', async () => {
  const flags = [{ notation: '-f, --format <NAME>', doc: '' }]
  await expect(valuesOf(['-f'], flags)).rejects.toThrow(UsageError)
  await expect(valuesOf(['-f'], flags)).rejects.toThrow(/^[^\n]*-f, --format[^\n]*$/)
})

test('a value that starts with a dash is given with an equals sign; - alone is a value', async () => {
  expect(await valuesOf(['--seed=-5', '--tail', '-'], optionFlags)).toEqual({ seed: '-5', tail: '-' })
})

test.each([
  ['a letter less', '--strid', 'stride'],
  ['a letter more', '--striide', 'stride'],
  ['two other letters', '--strixx', 'stride'],
  ['letters changed over', '--epohc', 'epoch'],
])('a flag with %s: the one that was meant is named', async (_, given, meant) => {
  await expect(valuesOf([given, '1'], optionFlags)).rejects.toThrow(new RegExp(`${given}.*--${meant}\\b`))
})

test('a flag that is like no other is refused without advice', async () => {
  await expect(valuesOf(['--colour', '1'], optionFlags)).rejects.toThrow(/^[^-]*--colour[^-]*$/)
})

test('a position scheme as JSON is flattened with dots, as a type it is one field', () => {
  const json = { type: 'rope', head_dim: 128, scaling: { type: 'linear', factor: 2.5 } }
  const query = (text: string) =>
    new URLSearchParams(embedFlags.query(new Map([['position-embedding', text]])))
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
  ['empty', '{}', /^--position-embedding\.type must be one of/],
  ['empty inside', '{"type":"rope","scaling":{}}', /scaling.* Given: "\{\}"$/],
  ['nested too deep', `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`, /Given: 65$/],
])('a position scheme that is %s is refused', (_, text, message) => {
  expect(() => embedFlags.read(new Map([['position-embedding', text]]))).toThrow(message)
})

test('an option of a position scheme is a flag', async () => {
  const flags = Object.values(embed.flags).flat()
  expect(await valuesOf(['--position-embedding.head-dim', '4'], flags)).toEqual({
    'position-embedding.head-dim': '4',
  })
})

test('a text that starts like JSON is one elsewhere', () => {
  const query = new URLSearchParams(embedFlags.query(new Map([['model', '{"type": "rope"']])))
  expect(Object.fromEntries(query)).toEqual({ model: '{"type": "rope"' })
})

test('a flag names its value as the field is written', () => {
  const values = Object.fromEntries(
    optionFlags.map(({ name, notation }) => [name, /<(.*)>/.exec(notation)?.[1]]),
  )
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

test('messages have flags in place of fields: an element of a list is its flag, what is no flag stays', () => {
  expect(embedFlags.named('`outputs.0` must be one of')).toBe('--outputs must be one of')
  expect(
    embedFlags.named(
      '`position_embedding.head_dim` of `position_embedding.other`, `max_position_embeddings`',
    ),
  ).toBe('--position-embedding.head-dim of --position-embedding.other, `max_position_embeddings`')
})

test('a value of a field stays what it is, though a flag has its name', () => {
  const trailing = Object.values(run.flags)
    .flat()
    .find(({ notation }) => notation.startsWith('--trailing'))
  expect(trailing).toMatchObject({
    notation: '--trailing <mask|train>',
    doc: expect.stringMatching(/^Chats: mask, train:/),
  })
})
