import { createApi, createHost, PROJECT } from './node-http.js'
import { sealTables } from './seal.js'

/** A first host to try: it seals the tables in `tables` and serves them to callers with the key `a-key`. */
const { PORT: port = '8090', FOLDGATE_SECRET: secret = '' } = process.env
const { manifest } = await sealTables('data', PROJECT, 'tables')
for (const { name, rows } of manifest.tables) console.log(`${name}: ${rows} rows`)

const baseUrl = `http://localhost:${port}/analytics`
const api = createApi({ baseUrl, folder: 'data', secret, key: 'a-key' })
const server = createHost(api).listen(Number(port), () => console.log(`${baseUrl} answers`))

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close()
    void api.close()
  })
