import type { ConfigJson } from '../config-json.js'
import type { FamilyScale } from './family.js'
import { hiddenSize } from './schemes.js'

const rootOfWidth = (config: ConfigJson) => Math.sqrt(hiddenSize(config))
const rootIfAsked = (byDefault: boolean) => (config: ConfigJson) =>
  (config.flag('scale_embedding') ?? byDefault) ? rootOfWidth(config) : undefined
const multiplier = (config: ConfigJson) => config.number('embedding_multiplier') ?? 1

export const gemmaScale: FamilyScale = { factor: rootOfWidth, inModule: true, rounded: true }
export const bartScale: FamilyScale = { factor: rootIfAsked(false), inModule: true, rounded: false }
export const xglmScale: FamilyScale = { factor: rootIfAsked(true), inModule: true, rounded: false }
export const ctrlScale: FamilyScale = { factor: rootOfWidth, inModule: false, rounded: false }
export const graniteScale: FamilyScale = { factor: multiplier, inModule: false, rounded: false }
export const falconH1Scale: FamilyScale = { factor: multiplier, inModule: true, rounded: false }
