import type { Answer } from '../../first-layer/answer.js'
import type { EncodedAnswer, Format, FormatOptions } from '../../wire/formats/format.js'

/** A format of files with tensors: one that answers have, or one of files alone. */
export interface FileFormat extends Pick<Format, 'name' | 'single' | 'rows' | 'refuses'> {
  encode(answer: Answer, options: FormatOptions): Pick<EncodedAnswer, 'body'>
}
