import type { WriteStream } from 'node:tty'

/** Adds colour to a text; returns it unchanged where the stream shows no colour. */
export type Paint = (text: string) => string

export interface Style {
  readonly inColour: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly accent: Paint
  readonly good: Paint
  readonly bad: Paint
  /** Background colours for neighbouring tokens. */
  readonly tiles: readonly Paint[]
}

/** Escape sequences of ECMA-48 (SGR), 256 colours for the tiles. Node 20.0 has no `styleText` yet. */
export function styleFor(stream: Pick<WriteStream, 'isTTY'>, env = process.env): Style {
  const inColour = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : stream.isTTY === true && !env.NO_COLOR
  const paint =
    (on: string, off: string): Paint =>
    (text) =>
      inColour ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return {
    inColour,
    bold: paint('1', '22'),
    dim: paint('2', '22'),
    accent: paint('36', '39'),
    good: paint('32', '39'),
    bad: paint('31', '39'),
    tiles: ['24', '54', '22', '94', '53'].map((background) => paint(`48;5;${background};38;5;255`, '49;39')),
  }
}
