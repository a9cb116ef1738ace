import { explorePage } from 'foldgate-explore'

/** What the application knows of a user who is logged in. */
interface Session {
  company: string
  formToken: string
}

/** A page for queries, on which users who are logged in to the application create keys. */
export function pageFor(sessions: { find(cookie: string | null): Promise<Session | null> }) {
  return explorePage({
    title: 'Acme data',
    home: '/',
    async offers(request) {
      const session = await sessions.find(request.header('cookie'))
      if (!session) return { account: '/login' }
      const keys = { path: '/account/keys', token: session.formToken, reads: [session.company], days: 7 }
      return { account: '/account', keys }
    },
  })
}
