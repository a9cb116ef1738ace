import { createClient } from 'foldgate/client'

let token
let until = 0

/** Returns the token of the user whose session the page has, and asks for another one every four minutes. */
export function currentToken() {
  if (Date.now() >= until) {
    until = Date.now() + 4 * 60_000
    token = exchange()
    token.catch(() => {
      until = 0 // the next call tries again
    })
  }
  return token
}

async function exchange() {
  const answer = await fetch('/token', { method: 'POST' }) // the browser adds the session cookie
  if (!answer.ok) throw new Error('Log in again.')
  return (await answer.json()).token
}

export const openClient = url => createClient({ url, key: currentToken })

export const openLiveClient = url => createClient({ url, key: currentToken, transport: { WebSocket } })
