import { unsupported } from '../refusals.js'
import { PAUSE, type Step } from '../steps.js'

/** Most steps of a template: a loop over ten thousand messages takes a million, half a second. */
export const MAX_STEPS = 2_000_000
/** Most steps between two pauses, which expressions and macros do not have: some ten milliseconds. */
export const MAX_STEPS_AT_ONCE = 50_000
/** Steps after which a pause is due: some tenths of a millisecond. */
const PAUSE_STEPS = 1000
/** Most levels of blocks, expressions, values and calls at once: a small part of a thread's stack. */
export const MAX_LEVELS = 500
/** Steps of a value within another one that is written. */
export const VALUE_STEPS = 4
/** Characters that a text function handles in the time of a step. */
const CHARACTERS = 256
/** Characters of what is looked for that are compared in the time of one. */
const SOUGHT = 16
/** Bytes of a character, and at most those of what a step makes: a value in a list, an entry of a dict. */
const [CHARACTER_BYTES, STEP_BYTES] = [2, 32]

/** The steps and memory that a template may use: it is not trusted. */
export class Budget {
  #steps = 0
  #paused = 0
  #levels = 0
  #characters = 0
  #reserved = 0

  /** @param maxCharacters of the chat, and of each text on the way */
  constructor(private readonly maxCharacters: number) {}

  /** Counts steps. @throws ChatError `template_unsupported` beyond the bounds */
  take(steps = 1): void {
    this.#steps += steps
    if (this.#steps - this.#paused <= MAX_STEPS_AT_ONCE) return
    throw unsupported('an expression or a macro', `takes more than ${MAX_STEPS_AT_ONCE} steps`)
  }

  /** Counts the work on a text of that length. */
  takeText(characters: number): void {
    if (characters > this.maxCharacters)
      throw unsupported('a text', `has more than ${this.maxCharacters} characters`)
    if (characters > CHARACTERS) this.take(Math.ceil(characters / CHARACTERS))
  }

  /** Counts the search for one text in another: at worst each place of it is compared with much of the other. */
  takeSearch(text: string, sought: string): void {
    this.take(Math.ceil(text.length / CHARACTERS) * Math.ceil(sought.length / SOUGHT))
  }

  /** Counts a text that is made, before it is. */
  makeText(characters: number): void {
    this.takeText(characters)
    this.#characters += characters
  }

  /** One level deeper: in blocks, in an expression, in a value. */
  enter(): void {
    if (++this.#levels > MAX_LEVELS) throw unsupported('nesting', `goes deeper than ${MAX_LEVELS} levels`)
  }

  leave(): void {
    this.#levels--
  }

  get isPauseDue(): boolean {
    return this.#steps - this.#paused >= PAUSE_STEPS
  }

  /** The step of a pause; the memory of what was made so far is reserved, of the output too. */
  *pause(characters: number): Generator<Step, void, void> {
    this.#paused = this.#steps
    if (this.#steps > MAX_STEPS) throw unsupported('the template', `takes more than ${MAX_STEPS} steps`)
    const made = (characters + this.#characters) * CHARACTER_BYTES + this.#steps * STEP_BYTES
    const more = made - this.#reserved
    if (more > 0) {
      this.#reserved += more
      yield more
    }
    yield PAUSE
  }
}
