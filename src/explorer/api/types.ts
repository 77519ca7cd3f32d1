import type { components } from '../../../build/interface.js'

type Schemas = components['schemas']

export type InputEmbeddingsRequest = Schemas['InputEmbeddingsRequest']
export type TokenizeRequest = Schemas['TokenizeRequest']
export type NeighborsRequest = Schemas['NeighborsRequest']
export type NeighborsAnswer = Schemas['NeighborsAnswer']
export type DetokenizeAnswer = Schemas['DetokenizeAnswer']
export type Model = Schemas['Model']
export type ModelList = Schemas['ModelList']
export type PositionType = Schemas['PositionEmbeddingType']
export type Architecture = Schemas['Architecture']
export type OutputName = Schemas['OutputName']
export type ErrorBody = Schemas['Error']
