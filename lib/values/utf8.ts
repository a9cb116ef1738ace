// A byte order mark is a character of the text: without the option, a decoder drops it, and two names become one.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8 as it is, a byte order mark included. Throws a TypeError for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return UTF8.decode(bytes)
}
