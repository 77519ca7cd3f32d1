import { reflectedCrc } from '../../first-layer/tensors/reflected-crc.js'

/**
 * CRC-32C (Castagnoli), as iSCSI and most logs have it: `crc32c(bytes('123456789'))` → 0xe3069283. Node's zlib has only the
 * polynomial of zip files.
 *
 * Source: RFC 3720, appendix B.4.
 */
export const crc32c = reflectedCrc(0x82f63b78)
