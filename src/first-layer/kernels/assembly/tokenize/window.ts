// The window: the memory for the part of a document that is not ids yet, with its flags and stack. The places in
// state.ts are offsets from `text`.
import { reserve } from '../own-memory'
import {
  forgetDocument,
  isLong,
  liveStart,
  readState,
  shift,
  stackDepth,
  stackStart,
  textEnd,
  writeState,
} from './state'

/** Bytes behind the text that may be read, but whose values are never used. */
const SLACK: usize = 64

/** The text; for each place in it, 1 if no token led on from it (long.ts), else 0; a long piece's tokens. */
export let text: usize = 0
export let dead: usize = 0
export let stack: usize = 0
let capacity: i32 = 0

/** Puts the text where the host of another kernel has its own. */
export function setText(at: usize): void {
  text = at
}

export function reserveWindow(bytes: i32): void {
  capacity = bytes
  text = reserve(bytes + SLACK)
  dead = reserve(bytes + SLACK)
  stack = reserve((<usize>bytes + 1) << 2)
}

/** Makes room for `bytes` behind the text, moving it if needed; returns the address where they go. */
export function makeRoom(bytes: i32): usize {
  if (textEnd + bytes > capacity) move(bytes)
  return text + textEnd
}

function move(bytes: i32): void {
  const start = liveStart()
  const live = textEnd - start
  const oldText = text
  const oldDead = dead
  const oldStack = stack
  // After the move half of the window must be free: otherwise the text would soon have to be moved again.
  if (live + bytes > capacity / 2) {
    let grown = capacity
    while (live + bytes > grown / 2) grown *= 2
    reserveWindow(grown)
  }
  memory.copy(text, oldText + start, live)
  if (isLong) {
    memory.copy(dead, oldDead + start, live + 1)
    if (dead === oldDead) memory.fill(dead + live + 1, 0, start)
    else memory.copy(stack, oldStack, stackDepth << 2)
  }
  shift(start)
}

// The host can give the window to another document: it copies out the state, the text still needed, its flags and
// the stack, and writes them back later.

/** The saved state, for the host: byte counts of text, flags and stack, where they start, the state. */
const SAVED: usize = memory.data(64, 16)
const SAVED_STATE: usize = SAVED + 16

export function saveState(): usize {
  const start = liveStart()
  store<i32>(SAVED, textEnd - start)
  store<i32>(SAVED, isLong ? textEnd - start + 1 : 0, 4)
  store<i32>(SAVED, isLong ? stackDepth << 2 : 0, 8)
  store<i32>(SAVED, start, 12)
  writeState(SAVED_STATE, start)
  return SAVED
}

/** Empties the window for another document. */
export function clear(): void {
  if (isLong) memory.fill(dead + stackStart, 0, textEnd - stackStart + 1)
  forgetDocument()
}

/** Reads the state where `saveState` wrote it; the host writes text, flags and stack to their addresses after it. */
export function restoreState(): void {
  clear()
  const live = load<i32>(SAVED)
  if (live > capacity / 2) makeRoom(2 * live)
  readState(SAVED_STATE, live)
}
