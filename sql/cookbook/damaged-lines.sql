-- Which log lines could not be read, and why?
select
    reason,
    count(*) as lines,
    sum(length) as bytes,
    count(distinct path) as files
from bad_lines
group by reason
order by lines desc, reason asc
