import { FEATURES } from './features.js'
import { type Config, readConfig as readWith, type Shapes, variablesWith } from './process/config.js'

const SHAPES: Shapes = Object.assign({}, ...FEATURES.map(({ config }) => config))

/** Every variable that the service reads, those of its features last; docs/configuration.md lists them. */
export const VARIABLES = variablesWith(SHAPES)

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  return readWith(env, SHAPES)
}
