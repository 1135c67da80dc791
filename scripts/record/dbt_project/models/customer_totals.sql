with totals as (
    select customer_id, sum(amount) as total
    from {{ ref('stg_orders') }}
    group by customer_id
)

select c.customer_id, c.country, md5(c.email) as email_hash, t.total
from {{ ref('stg_customers') }} as c
left join totals as t on c.customer_id = t.customer_id
