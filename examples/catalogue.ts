import { defineCatalogue, defineFold, defineTable } from 'foldgate'

/** What callers may query: two tables as they are stored, and one fold over them. */
export const catalogue = defineCatalogue({
  relations: [
    defineTable({
      name: 'cars',
      about: 'A car of the fleet.',
      columns: { car_id: 'INTEGER', city: 'VARCHAR' },
      unique: ['car_id'],
    }),
    defineTable({
      name: 'trips',
      about: 'A trip with one car.',
      columns: {
        trip_id: 'INTEGER',
        car_id: 'INTEGER',
        km: { type: 'DOUBLE', about: 'Distance driven', unit: 'km' },
      },
      unique: ['trip_id'],
      references: { car_id: 'cars.car_id' },
    }),
    defineFold({
      name: 'city_trips',
      about: 'One city, with the trips of its cars.',
      columns: { city: 'VARCHAR', trips: 'BIGINT', km: { type: 'DOUBLE', unit: 'km' } },
      reads: ['cars', 'trips'],
      sql: `SELECT city, count(*) AS trips, sum(km) AS km
            FROM trips JOIN cars USING (car_id) GROUP BY city ORDER BY city`,
    }),
  ],
  examples: [
    {
      question: 'Where do our cars go farthest?',
      sql: 'SELECT city, km FROM city_trips ORDER BY km DESC, city',
    },
  ],
})
