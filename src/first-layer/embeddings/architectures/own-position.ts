import {
  bindPositionEmbedding,
  type PositionEmbedding,
  readPositionEmbedding,
} from '../positions/position-embedding.js'
import type { Architecture } from './architecture.js'

/** An architecture's own position scheme: bert → `learned_absolute`. */
export function ownPosition({ positionEmbedding }: Architecture): PositionEmbedding {
  return bindPositionEmbedding(readPositionEmbedding(positionEmbedding))
}
