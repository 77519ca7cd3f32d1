import { alibi } from './alibi.js'
import { deberta } from './deberta.js'
import { learnedAbsolute } from './learned_absolute.js'
import { none } from './none.js'
import { rope } from './rope.js'
import type { PositionScheme } from './scheme.js'
import { shaw } from './shaw.js'
import { sinusoidal } from './sinusoidal.js'
import { t5 } from './t5.js'
import { transformerXl } from './transformer_xl.js'

/** Every position scheme. A new one needs its file and its line here. */
export const positionSchemes: readonly PositionScheme[] = [
  none,
  learnedAbsolute,
  sinusoidal,
  rope,
  alibi,
  t5,
  shaw,
  transformerXl,
  deberta,
]
