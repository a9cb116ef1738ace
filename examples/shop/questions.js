// @ts-check

/** Worked questions, each with what is easily got wrong. */
export const questions = [
  {
    question: 'What did we earn in each month of 2025, after the refunds given in that month?',
    sql: `SELECT month, orders, paid, refunded, revenue FROM monthly_revenue
WHERE month BETWEEN DATE '2025-01-01' AND DATE '2025-12-31' ORDER BY month`,
  },
  {
    question: 'How much of what was ordered in each quarter has been given back since?',
    sql: `SELECT date_trunc('quarter', placed_at)::DATE AS quarter, sum(paid) AS paid, sum(refunded) AS refunded,
  round(100.0 * sum(refunded) / sum(paid), 1) AS percent
FROM paid_orders GROUP BY quarter ORDER BY quarter`,
  },
  {
    question: 'In which currencies do customers pay, and how much is it in EUR?',
    sql: `-- totals of different currencies are added up in EUR only
SELECT currency, count(*) AS orders, sum(total) AS in_currency, sum(round(total * eur_rate, 2)) AS in_eur
FROM orders WHERE state = 'paid' GROUP BY currency ORDER BY in_eur DESC`,
  },
  {
    question: 'How many orders are open or cancelled, and what would they have brought in EUR?',
    sql: `SELECT state, count(*) AS orders, sum(round(total * eur_rate, 2)) AS in_eur
FROM orders WHERE state <> 'paid' GROUP BY state ORDER BY state`,
  },
  {
    question: 'What does a customer bring in each country, counting those who never bought?',
    sql: `SELECT country, count(*) AS customers, count(*) FILTER (WHERE orders > 0) AS buyers,
  round(sum(revenue) / count(*), 2) AS per_customer
FROM customer_lifetimes GROUP BY country ORDER BY per_customer DESC, country`,
  },
  {
    question: 'How large is a basket in each country, in items and in EUR without shipping?',
    sql: `SELECT country, count(*) AS orders, round(avg(units), 2) AS units, round(avg(paid - shipping), 2) AS goods
FROM paid_orders GROUP BY country ORDER BY country`,
  },
  {
    question: 'Which ten products have earned the most, before refunds?',
    sql: `SELECT name, category, units, sales, margin FROM product_sales
ORDER BY margin DESC, product_id LIMIT 10`,
  },
  {
    question: 'Which products are bought together most often?',
    sql: `SELECT p.name AS product, q.name AS other_product, t.orders
FROM bought_together t
JOIN products p USING (product_id)
JOIN products q ON q.product_id = t.other_product_id
ORDER BY t.orders DESC, t.product_id, t.other_product_id LIMIT 10`,
  },
  {
    question: 'At which step do visitors leave, on which device?',
    sql: `SELECT device, step, sessions,
  round(100.0 * sessions / first_value(sessions) OVER (PARTITION BY device ORDER BY position), 1) AS percent
FROM funnel ORDER BY device, position`,
  },
  {
    question: 'How many customers looked at each category while signed in, and have never bought anything?',
    sql: `SELECT category, count(DISTINCT customer_id) AS customers
FROM events JOIN products USING (product_id) JOIN customer_lifetimes USING (customer_id)
WHERE kind = 'view' AND orders = 0 GROUP BY category ORDER BY category`,
  },
  {
    question: 'Who are our ten best customers, and since when?',
    sql: `SELECT customer_id, country, orders, revenue, first_order_on FROM customer_lifetimes
ORDER BY revenue DESC, customer_id LIMIT 10`,
  },
  {
    question: 'What are refunds given for, and for how many orders?',
    sql: `-- an order may have several refunds
SELECT reason, count(*) AS refunds, count(DISTINCT order_id) AS orders,
  sum(round(amount * eur_rate, 2)) AS refunded
FROM refunds JOIN orders USING (order_id) GROUP BY reason ORDER BY refunded DESC`,
  },
]
