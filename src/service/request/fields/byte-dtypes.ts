/** Types of embeddings whose numbers fill a byte. */
export const BYTE_DTYPES = ['int8', 'uint8', 'binary', 'ubinary'] as const
