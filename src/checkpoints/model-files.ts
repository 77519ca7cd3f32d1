import { TOKENIZER_FILES } from '../first-layer/tokens/tokenizer-file/choose-tokenizer.js'

export const CONFIG_FILE = 'config.json'
/** The modules of a model of sentence-transformers. */
export const MODULES_FILE = 'modules.json'
/** A card that stands alone in a model's folder. */
export const CARD_FILE = 'inlet.json'
/** The prompts of a model of sentence-transformers, and how wide its embeddings are. */
export const PROMPTS_FILE = 'config_sentence_transformers.json'
/** What a static model's folder says to this service alone. */
export const STATIC_SETTINGS_FILE = 'inlet_static.json'
/** The ranges of a static model's embeddings. */
export const CALIBRATION_FILE = 'calibration.safetensors'
export const TOKENIZER_FILE = TOKENIZER_FILES.tokenizer
/** The files that make a folder a model: the first one present decides the kind. */
export const MODEL_FILES = [CONFIG_FILE, MODULES_FILE, CARD_FILE, TOKENIZER_FILE] as const

/** Added tokens of older folders. */
export const ADDED_TOKENS_FILE = 'added_tokens.json'

export const MAX_CONFIG_BYTES = 1 << 22
/** Most bytes of a card. */
export const MAX_CARD_BYTES = 1 << 16
/** Most bytes of modules.json, and of the file of the prompts. */
export const MAX_MODULES_BYTES = 1 << 20
/** Most bytes of tokenizer.json: twice those of the largest vocabularies, of a quarter of a million tokens with merges. */
export const MAX_TOKENIZER_BYTES = 1 << 26
/** Most bytes of the tokenizer's other files. */
export const MAX_TOKENIZER_SIDE_BYTES = 1 << 24
