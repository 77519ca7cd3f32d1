import { expect, test } from 'vitest'
import { NoRoom } from '../../src/first-layer/tokens/rust/failures.js'
import { noRoomForText } from '../../src/load/refusals.js'

test.each([
  [false, 'queue_full'],
  [true, 'queue_timeout'],
])(
  'a text for which its tokenizer has no room is 503 with Retry-After, and counted (late: %s)',
  (late, reason) => {
    const counted: string[] = []
    const error = noRoomForText(new NoRoom(2500, late), (counts) => counted.push(counts))
    expect(error).toMatchObject({ code: 'overloaded', headers: { 'retry-after': '3' } })
    expect(counted).toEqual([reason])
  },
)
