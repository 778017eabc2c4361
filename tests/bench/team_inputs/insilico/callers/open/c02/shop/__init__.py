from .prices import gross as gross_price, net
