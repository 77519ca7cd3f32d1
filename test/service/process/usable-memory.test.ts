import { expect, test } from 'vitest'
import { usableMemory } from '../../../src/models/usable-memory.js'

test.each([
  ['a container’s limit', 5, 10, 5],
  ['the machine’s, where the container’s is higher', 20, 10, 10],
  ['the machine’s, where no limit is known', 0, 10, 10],
  ['a limit, however small', 1, 10, 1],
])('the memory that may be used is %s', (_, constrained, machine, expected) => {
  expect(usableMemory(constrained, machine)).toBe(expected)
})
