/** `text/plain; charset="UTF-8"` → `text/plain` and `utf-8`. */
export function parseContentType(header: string): { mediaType: string; charset?: string } {
  if (!header.includes(';')) return { mediaType: header.trim().toLowerCase() }
  const [mediaType, ...parameters] = header.split(';').map((part) => part.trim())
  const charset = parameters.map((parameter) => /^charset="?([^"]*)"?$/i.exec(parameter)?.[1]).find(Boolean)
  return { mediaType: mediaType.toLowerCase(), charset: charset?.toLowerCase() }
}
