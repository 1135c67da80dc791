select customer_id, lower(email) as email, country
from {{ ref('raw_customers') }}
